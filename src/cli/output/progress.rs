//! The phase of a long run, in one line on a terminal that disappears before anything else is written.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "whether standard error is a terminal, and what the environment says of it, decides whether there is a line"
)]

use parking_lot::{Mutex, MutexGuard};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Shorter runs show nothing.
const DELAY: Duration = Duration::from_millis(500);
/// How often the line follows the phase.
const PERIOD: Duration = Duration::from_millis(100);
/// Shows the line immediately and on any standard error if it is `always`; for tests.
const VARIABLE: &str = "STACKLINT_PROGRESS";
/// Goes to the start of the line and clears it.
const CLEAR: &str = "\r\u{1b}[K";

/// The displayed line. Writing to standard error or standard output requires the lock.
struct State {
    phase: &'static str,
    /// The phase that the line on the terminal shows, if there is a line.
    shown: Option<&'static str>,
    is_over: bool,
}

static STATE: Mutex<State> = Mutex::new(State { phase: "", shown: None, is_over: true });

fn state() -> MutexGuard<'static, State> {
    STATE.lock()
}

/// Follows this run, if standard error is a terminal that somebody watches.
pub(in crate::cli) fn start() {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_forced = variable(VARIABLE).is_some_and(|value| value == "always");
    let is_silent = variable("CI").is_some() || variable("TERM").is_none_or(|term| term == "dumb");
    if !is_forced && (is_silent || !io::stderr().is_terminal()) {
        return;
    }
    state().is_over = false;
    // Where no thread can be made, nothing is shown.
    let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(move || {
        std::thread::sleep(if is_forced { Duration::ZERO } else { DELAY });
        while draw(&mut state(), &mut io::stderr()) {
            std::thread::sleep(if is_forced { Duration::from_millis(1) } else { PERIOD });
        }
    });
}

/// A phase begins.
pub(in crate::cli) fn phase(name: &'static str) {
    state().phase = words(name);
}

/// Writes something to standard error while no line is shown. The line may come back.
pub(in crate::cli) fn with_progress_hidden<T>(write: impl FnOnce() -> T) -> T {
    let mut state = state();
    erase(&mut state, &mut io::stderr());
    write()
}

/// Ends the line for good: the answer follows.
pub(in crate::cli) fn stop() {
    let mut state = state();
    erase(&mut state, &mut io::stderr());
    state.is_over = true;
}

/// Shows the phase; returns whether there is more to show later.
fn draw(state: &mut State, out: &mut dyn Write) -> bool {
    if !state.is_over && !state.phase.is_empty() && state.shown != Some(state.phase) {
        // A closed terminal is not a reason to stop.
        let _ = write!(out, "{CLEAR}stacklint: {}…", state.phase).and_then(|()| out.flush());
        state.shown = Some(state.phase);
    }
    !state.is_over
}

fn erase(state: &mut State, out: &mut dyn Write) {
    if state.shown.take().is_some() {
        let _ = write!(out, "{CLEAR}").and_then(|()| out.flush());
    }
}

fn words(phase: &'static str) -> &'static str {
    match phase {
        "open" => "reading the revisions",
        "resolve" => "resolving stacks",
        "compare" => "comparing components",
        "code" => "comparing code",
        "affected" => "listing affected components",
        "rules" => "checking rules",
        "policies" => "evaluating policies",
        "judge" => "judging findings",
        "report" => "writing the report",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{CLEAR, State, draw, erase};

    #[test]
    fn a_line_follows_the_phase_and_disappears() {
        let mut state = State { phase: "", shown: None, is_over: false };
        let mut out = Vec::new();
        assert!(draw(&mut state, &mut out) && out.is_empty(), "no phase, no line");
        state.phase = "a";
        assert!(draw(&mut state, &mut out) && draw(&mut state, &mut out));
        state.phase = "b";
        assert!(draw(&mut state, &mut out));
        erase(&mut state, &mut out);
        erase(&mut state, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{CLEAR}stacklint: a…{CLEAR}stacklint: b…{CLEAR}"));
        state.is_over = true;
        let mut out = Vec::new();
        assert!(!draw(&mut state, &mut out) && out.is_empty());
    }
}
