//! The limits of a whole run: it is stopped if it takes too long or too much memory in spite of all other limits.
#![allow(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "the clock and the memory of the process are looked at here alone, and decide nothing but whether to go on"
)]

use super::output;
use crate::limits::{self, Limit, Limits};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seconds, MiB, and MiB for each MiB that is read; those of the settings once they are known.
static TIME: AtomicU64 = AtomicU64::new(0);
static MEMORY: AtomicU64 = AtomicU64::new(0);
static MEMORY_PER_MIB: AtomicU64 = AtomicU64::new(0);

/// How often it is looked.
const PERIOD: Duration = Duration::from_millis(50);

/// Watches this run from now on, with the default limits.
pub(super) fn start() {
    set(&Limits::default());
    plant_defect();
    let start = Instant::now();
    // Where no thread can be made, there is nothing to watch with.
    let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(PERIOD);
            let time = TIME.load(Ordering::Relaxed);
            if start.elapsed() >= Duration::from_secs(time) {
                abort_over_limit(&format!("this run takes more than {time} seconds"), Limit::Time);
            }
            if let Some((why, limit)) = over_memory() {
                abort_over_limit(&why, limit);
            }
        }
    });
}

/// Ends this process silently once it runs longer than this, or needs more memory than a run may by default.
pub(super) fn limit_silently(budget: Duration) {
    plant_defect();
    set_memory(&Limits::default());
    let start = Instant::now();
    // Where no thread can be made, there is nothing to watch with.
    let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        while start.elapsed() < budget && over_memory().is_none() {
            std::thread::sleep(PERIOD);
        }
        std::process::exit(0)
    });
}

/// Reads from the environment which piece of work a test wants to fail.
fn plant_defect() {
    #[cfg(debug_assertions)]
    if let Ok(work) = std::env::var("STACKLINT_PLANT_DEFECT") {
        let _ = crate::threads::PLANTED.set(work);
    }
}

/// Sets the limits from the settings.
pub(super) fn set(limits: &Limits) {
    TIME.store(limits.get(Limit::Time), Ordering::Relaxed);
    set_memory(limits);
    limits::allow_steps(limits.get(Limit::RunSteps), abort_over_steps);
}

fn set_memory(limits: &Limits) {
    MEMORY.store(limits.get(Limit::Memory), Ordering::Relaxed);
    MEMORY_PER_MIB.store(limits.get(Limit::MemoryPerMib), Ordering::Relaxed);
}

/// Why the memory of this process is too much, and the limit.
fn over_memory() -> Option<(String, Limit)> {
    let used = resident()?;
    let memory = MEMORY.load(Ordering::Relaxed);
    if used > memory {
        return Some((format!("this run needs more than {memory} MiB of memory"), Limit::Memory));
    }
    let most = limits::by_size(MEMORY_PER_MIB.load(Ordering::Relaxed));
    let why = || format!("this run needs more than {most} MiB of memory for the files that it reads");
    (used > most).then(|| (why(), Limit::MemoryPerMib))
}

/// Lifts the limit of time: a server runs for as long as its client does. Each of its analyses has the steps of one run.
pub(super) fn for_server() {
    TIME.store(u64::MAX, Ordering::Relaxed);
    limits::renew_steps(Limits::default().get(Limit::RunSteps));
}

/// Why a piece of work of a server has no result, if it took all the steps that it might take.
pub(super) fn over_steps() -> Option<String> {
    limits::steps_are_used_up().map(|costliest| stopped(&too_many_steps(&costliest), Limit::RunSteps))
}

fn abort_over_steps(costliest: &str) -> ! {
    abort_over_limit(&too_many_steps(costliest), Limit::RunSteps)
}

fn too_many_steps(costliest: &str) -> String {
    let most = match costliest {
        "" => String::new(),
        costliest => format!(", the most for {costliest}"),
    };
    format!(
        "the templates, queries, expressions, differences and reports of this run take more steps together than one may{most}"
    )
}

fn abort_over_limit(why: &str, limit: Limit) -> ! {
    output::eprint(&format!("stacklint: {}", stopped(why, limit)));
    std::process::exit(2)
}

fn stopped(why: &str, limit: Limit) -> String {
    format!("{why}, so it was stopped; `{}` under `[limits]` in stacklint.toml sets the limit", limit.name())
}

/// The memory that this process uses, in MiB, if the system reports it.
fn resident() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib / 1024)
}
