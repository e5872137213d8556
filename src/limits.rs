//! Limits of work and sizes, so that no repository can make a run hang, overflow or exhaust the machine. Each limit has
//! a name in the table `[limits]` of `stacklint.toml`, a default, and a maximum: limits of recursion cannot be raised
//! above what the stack of a thread can hold.
//!
//! Limits that belong to a format or to an algorithm (how deep YAML nests in the reference, how many digits a number is
//! printed with) are defined in the code that knows the reason.

use parking_lot::Mutex;
use serde::Deserialize;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    values: [u64; Limit::ALL.len()],
}

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Bytes of one file of configuration.
    FileSize,
    /// How deep maps and lists of one document nest.
    NestingDepth,
    /// Values of one document, with aliases and merge keys expanded.
    DocumentValues,
    /// The length of a chain of imports, in files.
    ImportDepth,
    /// Imports of one stack, those of imports included, each way counted.
    Imports,
    /// Files that one pattern of imports finds.
    GlobResults,
    /// Bases between a component and the base of a base.
    InheritanceDepth,
    /// Bases of one component, those of bases included, each way counted.
    Bases,
    /// Steps of one run of a template: nodes and commands evaluated, and a step for every 16 bytes of text made.
    TemplateSteps,
    /// Bytes that one run of a template writes, or holds in one value.
    TemplateOutput,
    /// Values of one component, those inside of maps and lists included.
    ComponentValues,
    /// Steps of all policies together.
    PolicySteps,
    /// Steps of all templates, queries, expressions, differences and reports of the whole run together, for each MiB of
    /// files that it reads.
    RunSteps,
    /// Seconds of the whole run.
    Time,
    /// MiB of memory of the whole run.
    Memory,
    /// MiB of memory of the whole run for each MiB of files that it reads.
    MemoryPerMib,
}

/// The default of a limit, the least and the most that it can be set to, and what it counts.
struct LimitSpec(&'static str, u64, u64, u64, &'static str);

impl Limit {
    /// Every limit, in the order of the documentation.
    pub const ALL: [Limit; 16] = [
        Limit::FileSize,
        Limit::NestingDepth,
        Limit::DocumentValues,
        Limit::ImportDepth,
        Limit::Imports,
        Limit::GlobResults,
        Limit::InheritanceDepth,
        Limit::Bases,
        Limit::TemplateSteps,
        Limit::TemplateOutput,
        Limit::ComponentValues,
        Limit::PolicySteps,
        Limit::RunSteps,
        Limit::Time,
        Limit::Memory,
        Limit::MemoryPerMib,
    ];

    const fn facts(self) -> LimitSpec {
        const MIB: u64 = 1 << 20;
        const MILLION: u64 = 1_000_000;
        match self {
            Limit::FileSize => LimitSpec("file-size", 64 * MIB, 1, 64 * MIB, "bytes in one configuration file"),
            Limit::NestingDepth => {
                LimitSpec("nesting-depth", 1_000, 8, 1_000, "levels of nested maps and lists in one document")
            }
            Limit::DocumentValues => LimitSpec(
                "document-values",
                2 * MILLION,
                1,
                100 * MILLION,
                "values in one document, with aliases, merge keys and included files expanded",
            ),
            Limit::ImportDepth => LimitSpec("import-depth", 64, 1, 200, "files in one chain of imports"),
            Limit::Imports => LimitSpec(
                "imports",
                20_000,
                1,
                100 * MILLION,
                "direct and indirect imports of one stack, counted once for each path to them",
            ),
            Limit::GlobResults => {
                LimitSpec("glob-results", 50_000, 1, 100 * MILLION, "files matched by one import pattern")
            }
            Limit::InheritanceDepth => LimitSpec("inheritance-depth", 64, 1, 200, "bases in one inheritance chain"),
            Limit::Bases => LimitSpec(
                "bases",
                2_000,
                1,
                100 * MILLION,
                "direct and indirect bases of one component, counted once for each path to them",
            ),
            Limit::TemplateSteps => LimitSpec(
                "template-steps",
                5 * MILLION,
                100,
                1_000 * MILLION,
                "steps of one template: nodes and commands evaluated, and one for every 16 bytes of text produced",
            ),
            Limit::TemplateOutput => LimitSpec(
                "template-output",
                64 * MIB,
                100,
                1_024 * MIB,
                "bytes that one template writes, or holds in one value",
            ),
            Limit::ComponentValues => LimitSpec(
                "component-values",
                MILLION,
                100,
                100 * MILLION,
                "values in one component, maps and lists included",
            ),
            Limit::PolicySteps => LimitSpec(
                "policy-steps",
                200 * MILLION,
                100,
                100_000 * MILLION,
                "steps of all policies in `stacklint.toml` together; a violation takes 1,700, and one policy may use a quarter",
            ),
            Limit::RunSteps => LimitSpec(
                "run-steps",
                300 * MILLION,
                100,
                100_000 * MILLION,
                "steps of all templates, queries, expressions, differences and reports in the whole run, for each MiB of files that are read",
            ),
            Limit::Time => LimitSpec("time", 600, 1, 86_400, "seconds for the whole run"),
            Limit::Memory => LimitSpec("memory", 6 * 1_024, 64, 1 << 30, "MiB of memory for the whole run (on Linux)"),
            Limit::MemoryPerMib => LimitSpec(
                "memory-per-mib",
                1_024,
                1,
                1 << 30,
                "MiB of memory for the whole run, for each MiB of files that are read (on Linux)",
            ),
        }
    }

    /// Its name in `stacklint.toml`.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the value that counts unless `stacklint.toml` sets another one.
    pub fn default_value(self) -> u64 {
        self.facts().1
    }

    /// The least and the most that it can be set to.
    pub fn range(self) -> (u64, u64) {
        let LimitSpec(_, _, least, most, _) = self.facts();
        (least, most)
    }

    /// What the limit counts.
    pub fn summary(self) -> &'static str {
        self.facts().4
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { values: Limit::ALL.map(Limit::default_value) }
    }
}

impl Limits {
    /// Returns the value of a limit. Where a process goes on after its steps are used up, no template may take more of them than are
    /// left.
    pub(crate) fn get(&self, limit: Limit) -> u64 {
        let value = self.values[limit as usize];
        match limit {
            Limit::TemplateSteps if GOES_ON.load(Ordering::Relaxed) => value.min(steps_left()),
            _ => value,
        }
    }

    /// The same as a number of things in memory.
    pub(crate) fn count(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// Sets a limit.
    ///
    /// # Errors
    /// It cannot be set to that: why.
    pub(crate) fn set(&mut self, limit: Limit, value: u64) -> Result<(), String> {
        let (least, most) = limit.range();
        if !(least..=most).contains(&value) {
            return Err(format!("`{}` can be from {least} to {most}, not {value}", limit.name()));
        }
        self.values[limit as usize] = value;
        Ok(())
    }

    /// The same limits with one of them set, within what it can be set to.
    #[must_use]
    pub(crate) fn with(mut self, limit: Limit, value: u64) -> Self {
        let (least, most) = limit.range();
        self.values[limit as usize] = value.clamp(least, most);
        self
    }

    /// The same limits, none of them above its default.
    #[must_use]
    pub(crate) fn lowered(self) -> Self {
        Limit::ALL
            .into_iter()
            .fold(self, |limits, limit| limits.with(limit, limits.get(limit).min(limit.default_value())))
    }

    /// Returns the description of an exceeded limit, with advice.
    pub(crate) fn exceeded(&self, limit: Limit) -> Exceeded {
        Exceeded { limit, value: self.get(limit) }
    }
}

/// Something is beyond a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub limit: Limit,
    /// The limit.
    pub value: u64,
}

impl Exceeded {
    /// Returns advice for the user.
    pub(crate) fn help(&self) -> String {
        let name = self.limit.name();
        match self.limit.range().1 {
            most if most > self.value => {
                let allow = match self.value < self.limit.default_value() {
                    true => "",
                    // A repository alone may only lower limits.
                    false => " and allow that by --raise-limits",
                };
                format!("make it smaller, or raise `{name}` under `[limits]` in stacklint.toml{allow}")
            }
            _ => format!("make it smaller: `{name}` cannot be raised"),
        }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.value, self.limit.summary())
    }
}

/// The steps of [`Limit::RunSteps`] that this process took, and how many it may take for each MiB that it reads.
static TAKEN: AtomicU64 = AtomicU64::new(0);
static ALLOWED: AtomicU64 = AtomicU64::new(u64::MAX);
/// Whether the process goes on once it took them: a server, which discards the result then.
static GOES_ON: AtomicBool = AtomicBool::new(false);
/// What ends the process if it takes more, given the costliest piece of work so far.
static END: Mutex<Option<fn(&str) -> !>> = Mutex::new(None);
/// The piece of work that took the most steps, with how many.
static COSTLIEST: Mutex<(u64, String)> = Mutex::new((0, String::new()));

thread_local! {
    /// The steps that were taken on this thread.
    static TAKEN_HERE: Cell<u64> = const { Cell::new(0) };
}

/// Lets this process take so many steps for each MiB that it reads; `end` is called where it takes more.
pub(crate) fn allow_steps(most: u64, end: fn(&str) -> !) {
    *END.lock() = Some(end);
    ALLOWED.store(most, Ordering::Relaxed);
}

/// Lets the next piece of work of a server take so many steps: an analysis, or a refactoring. Once they are taken, every template of it
/// fails at once, and [`steps_are_used_up`] says that its result is to be discarded.
pub(crate) fn renew_steps(most: u64) {
    TAKEN.store(0, Ordering::Relaxed);
    *COSTLIEST.lock() = (0, String::new());
    ALLOWED.store(most, Ordering::Relaxed);
    GOES_ON.store(true, Ordering::Relaxed);
    *END.lock() = None;
}

/// The costliest piece of work since [`renew_steps`], if all the steps were taken.
pub(crate) fn steps_are_used_up() -> Option<String> {
    (steps_left() == 0).then(|| COSTLIEST.lock().1.clone())
}

fn steps_left() -> u64 {
    by_size(ALLOWED.load(Ordering::Relaxed)).saturating_sub(TAKEN.load(Ordering::Relaxed))
}

/// Counts steps of the whole run.
pub(crate) fn take_steps(steps: u64) {
    TAKEN_HERE.set(TAKEN_HERE.get().saturating_add(steps));
    let before = TAKEN.fetch_add(steps, Ordering::Relaxed);
    if before.saturating_add(steps) <= by_size(ALLOWED.load(Ordering::Relaxed)) {
        return;
    }
    let end = *END.lock();
    if let Some(end) = end {
        let costliest = COSTLIEST.lock().1.clone();
        end(&costliest);
    }
}

/// The contents that this process has read, and how many bytes they have together.
static READ: LazyLock<Mutex<HashSet<Box<[u8]>>>> = LazyLock::new(Mutex::default);
static BYTES_READ: AtomicU64 = AtomicU64::new(0);

/// Counts a content that is read, given its id. The same one counts once, however many files have it.
pub(crate) fn add_read(id: &[u8], bytes: usize) {
    if READ.lock().insert(id.into()) {
        BYTES_READ.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// What a run may take that may take so much for each MiB of files that it reads, at least one.
pub(crate) fn by_size(each: u64) -> u64 {
    const MIB: u64 = 1 << 20;
    let bytes = BYTES_READ.load(Ordering::Relaxed).max(MIB);
    (u128::from(each) * u128::from(bytes) / u128::from(MIB)).try_into().unwrap_or(u64::MAX)
}

/// What counts as steps of the run for the memory and the time that it takes, though nothing is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A component: it is kept until everything is resolved, with its values and where they come from.
    Component,
    /// A finding in what defines components, which is kept as long as they are.
    Finding,
    /// What the code of a component makes.
    Made,
    /// What the code of a component says about itself, which is kept if it differs.
    Setting,
    /// A value of a map or list that a merge of Atmos puts together.
    MergedValue,
    /// A value in the history of another one, which a merge of Atmos makes.
    Link,
}

impl Piece {
    const fn steps(self) -> u64 {
        match self {
            Piece::Component => 1_500,
            Piece::Finding | Piece::Made => 600,
            Piece::Setting => 150,
            Piece::MergedValue => 2,
            Piece::Link => 16,
        }
    }
}

/// Counts pieces of one kind.
pub(crate) fn take(count: usize, piece: Piece) {
    take_steps(count as u64 * piece.steps());
}

/// Counts steps of expressions of HCL, which take longer than others.
pub(crate) fn take_steps_of_hcl(steps: u64) {
    take_steps(steps.saturating_add(steps / 2));
}

/// Does a piece of work on this thread. Its name is given where the run takes too many steps, and no other piece took as many.
pub(crate) fn count_steps<R>(name: impl FnOnce() -> String, work: impl FnOnce() -> R) -> R {
    let before = TAKEN_HERE.get();
    let result = work();
    let taken = TAKEN_HERE.get().saturating_sub(before);
    // Only work that may take part in exceeding a limit is worth a name.
    if taken > 1_000 {
        let mut costliest = COSTLIEST.lock();
        if taken > costliest.0 {
            *costliest = (taken, name());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stand_in_their_order_and_within_their_range() {
        for (index, limit) in Limit::ALL.into_iter().enumerate() {
            assert_eq!(limit as usize, index, "{}", limit.name());
            let (least, most) = limit.range();
            assert!((least..=most).contains(&limit.default_value()), "{}", limit.name());
            let mut limits = Limits::default();
            assert!(limits.set(limit, least).is_ok() && limits.get(limit) == least);
            assert!(limits.set(limit, most + 1).is_err() && limits.get(limit) == least);
        }
    }

    #[test]
    fn limits_are_documented() {
        let page = include_str!("../docs/limits.md");
        for limit in Limit::ALL {
            let ((least, most), default) = (limit.range(), limit.default_value());
            let row = format!("| `{}` | {default} | {least} | {most} | {} |\n", limit.name(), limit.summary());
            assert!(page.contains(&row), "docs/limits.md has no line {row}");
        }
    }

    #[test]
    fn what_cannot_be_raised_says_so() {
        assert!(Limits::default().exceeded(Limit::NestingDepth).help().contains("cannot be raised"));
        assert!(Limits::default().exceeded(Limit::Imports).help().contains("raise `imports`"));
    }
}
