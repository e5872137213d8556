//! Real git repositories in temporary folders, and the built binary run in them.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// An `atmos.yaml` that names stacks by their `stage`, with templates on.
pub(crate) const ATMOS: &str = "\
base_path: .
stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}
components: {terraform: {base_path: components/terraform}}
templates: {settings: {enabled: true, sprig: {enabled: true}}}
";

/// The folders of an empty repository.
const GIT_FOLDERS: [&str; 4] = ["objects/info", "objects/pack", "refs/heads", "refs/tags"];

/// The files of an empty repository, as git writes them on this machine. It is asked once: hundreds of tests need a repository,
/// and what git renames while it makes one has to reach the disk.
fn git_files() -> &'static [(&'static str, Vec<u8>)] {
    static FILES: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = TempDir::new().expect("a temporary folder");
        git_in(folder.path(), &["init", "--quiet", "--template=", "--initial-branch=main", "."]);
        let read = |name| (name, std::fs::read(folder.path().join(".git").join(name)).expect("a file of git"));
        ["HEAD", "config"].map(read).into()
    })
}

/// The folder of all temporary folders: in memory if that is possible, which saves a sixth of the time of the tests.
pub(crate) fn temporary_root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let in_memory = Path::new("/dev/shm");
        let is_chosen = std::env::var_os("TMPDIR").is_some();
        if !is_chosen && fits_tests(in_memory) { in_memory.to_owned() } else { std::env::temp_dir() }
    })
}

/// Whether a folder has room for the repositories of tests, and their hooks can be executed there.
#[cfg(unix)]
fn fits_tests(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let has_room =
        rustix::fs::statvfs(folder).is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) >= 2 << 30);
    let runs_a_script = || {
        let probe = tempfile::tempdir_in(folder).ok()?;
        let script = probe.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").ok()?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).ok()?;
        Some(Command::new(&script).status().ok()?.success())
    };
    has_room && runs_a_script() == Some(true)
}

#[cfg(not(unix))]
fn fits_tests(_: &Path) -> bool {
    false
}

/// A folder, with or without git, that is deleted when it is dropped.
pub(crate) struct Repo {
    _temporary: TempDir,
    root: PathBuf,
}

/// The result of a run of the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Repo {
    /// An empty git repository.
    pub(crate) fn new() -> Self {
        let repo = Self::plain();
        let git = repo.root.join(".git");
        for folder in GIT_FOLDERS {
            std::fs::create_dir_all(git.join(folder)).expect("a folder");
        }
        for (name, content) in git_files() {
            std::fs::write(git.join(name), content).expect("a written file");
        }
        repo
    }

    /// A git repository with [`ATMOS`] in the worktree.
    pub(crate) fn atmos() -> Self {
        let repo = Self::new();
        repo.write("atmos.yaml", ATMOS);
        repo
    }

    /// A folder without git.
    pub(crate) fn plain() -> Self {
        let temporary = tempfile::Builder::new().prefix("stacklint-test-").tempdir_in(temporary_root());
        let temporary = temporary.expect("a temporary folder");
        let parent = temporary.path().canonicalize().expect("a real path");
        let root = parent.join("repo");
        std::fs::create_dir(&root).expect("a folder");
        Repo { _temporary: temporary, root }
    }

    /// The revisions `base` and `head` (tags) of the shared fixture; the worktree is that of `head`.
    pub(crate) fn review() -> Self {
        let repo = Self::new();
        repo.copy(&fixture("review/base"), "").commit("base");
        repo.tag("base").copy(&fixture("review/head"), "").commit("head");
        repo.tag("head");
        repo
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a path beside the repository, for clones and linked worktrees.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.with_file_name(name)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, content).expect("a written file");
        self
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.root.join(path)).expect("a file to remove");
        self
    }

    /// Replaces text that occurs in a file.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = std::fs::read_to_string(self.root.join(path)).expect("a file to edit");
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, text.replace(from, to))
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::os::unix::fs::symlink(target, path).expect("a link");
        self
    }

    #[cfg(unix)]
    pub(crate) fn executable(&self, path: &str) -> &Self {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.root.join(path), mode).expect("a file to make executable");
        self
    }

    /// Copies a tree of files into a folder of the repository.
    pub(crate) fn copy(&self, from: &Path, to: &str) -> &Self {
        for entry in std::fs::read_dir(from).expect("a folder to copy") {
            let entry = entry.expect("an entry");
            let name = entry.file_name();
            let to = format!("{to}{}", name.to_str().expect("a plain name"));
            if entry.path().is_dir() {
                self.copy(&entry.path(), &format!("{to}/"));
            } else {
                self.write(&to, std::fs::read(entry.path()).expect("a readable file"));
            }
        }
        self
    }

    /// Commits all that is in the worktree and returns the id of the commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.head()
    }

    pub(crate) fn tag(&self, name: &str) -> &Self {
        let tags = self.root.join(".git/refs/tags");
        if name.contains('/') || !tags.is_dir() {
            self.git(&["tag", "--force", name]);
        } else {
            std::fs::write(tags.join(name), self.head() + "\n").expect("a written tag");
        }
        self
    }

    /// Returns the id of the checked-out commit, read from git's files if possible, which saves a process.
    fn head(&self) -> String {
        let folder = self.root.join(".git");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let head = read("HEAD").and_then(|head| read(head.strip_prefix("ref: ")?.trim()));
        head.unwrap_or_else(|| self.git(&["rev-parse", "HEAD"])).trim().to_owned()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.root, arguments)
    }

    /// Runs the binary at the root.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run_in(&self.root, arguments, &[])
    }

    /// Runs the binary in a folder of the repository.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        run_in(&self.root.join(folder), arguments, &[])
    }

    /// Runs the binary at the root with variables in its environment.
    pub(crate) fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        run_in(&self.root, arguments, environment)
    }
}

impl Run {
    /// The run, if it ended with this status.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }

    /// The run, if its output has this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text) || unwrapped(&self.stdout).contains(text), "no {text:?} in\n{self}");
        self
    }

    /// The run, if its output lacks this text.
    #[track_caller]
    pub(crate) fn hides(self, text: &str) -> Self {
        assert!(!self.stdout.contains(text) && !unwrapped(&self.stdout).contains(text), "{text:?} in\n{self}");
        self
    }

    /// The run, if standard error has this text.
    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no {text:?} on standard error:\n{self}");
        self
    }
}

/// Says what a test leaves out on this machine, and why, whether or not the output of tests is shown.
pub(crate) fn skipped(what: &str) {
    use std::io::Write;
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "SKIPPED in {name}: {what}");
}

/// Text with one space in place of each break and indentation of lines, as its sentences may be wrapped anywhere.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {}\n--- stdout\n{}--- stderr\n{}", self.status, self.stdout, self.stderr)
    }
}

/// The folder of a fixture.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Runs git with a fixed identity and clock and without the configuration of user and machine.
pub(crate) fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let output = git(folder, arguments).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8 from git")
}

/// The same if git may fail: whether it succeeded, and its output.
pub(crate) fn try_git_in(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = git(folder, arguments).output().expect("git runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).expect("UTF-8 from git"))
}

fn git(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    scrub(&mut command, folder);
    command
        .args(["-c", "user.name=Tester", "-c", "user.email=tester@example.com"])
        .args(["-c", "commit.gpgSign=false", "-c", "core.autocrlf=false", "-c", "protocol.file.allow=always"])
        // Whether there is something to pack would be another process for each commit.
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2024-02-03T04:05:06Z")
        .env("GIT_COMMITTER_DATE", "2024-02-03T04:05:06Z");
    command
}

/// The built binary.
pub(crate) fn bin() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_stacklint"))
}

/// The binary with arguments in a folder, not yet started.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(bin());
    scrub(&mut command, folder);
    command.args(arguments);
    command
}

/// The time of a processor, in seconds, that a run may take: what is done in vain until then grows with the square of
/// something, however busy the machine is.
pub(crate) const MOST_PROCESSOR_SECONDS: u64 = 120;

/// The time after which a run hangs, waiting for something.
const HANGS: Duration = Duration::from_secs(600);

/// The binary with arguments in a folder, not yet started, which ends by a signal after [`MOST_PROCESSOR_SECONDS`].
pub(crate) fn limited(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = if cfg!(unix) { Command::new("/bin/sh") } else { Command::new(bin()) };
    if cfg!(unix) {
        command.arg("-c").arg(format!("ulimit -t {MOST_PROCESSOR_SECONDS}; exec \"$0\" \"$@\"")).arg(bin());
    }
    scrub(&mut command, folder);
    command.args(arguments);
    command
}

/// Runs the binary in a folder with variables in its environment.
pub(crate) fn run_in(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = limited(folder, arguments);
    command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    let id = child.id().to_string();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = receive.recv_timeout(HANGS) else {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
        panic!("{arguments:?} does not end");
    };
    let output = output.expect("output of the binary");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8 output");
    let status = output.status.code().unwrap_or_else(|| {
        panic!(
            "{arguments:?} ended by a signal, after {MOST_PROCESSOR_SECONDS} s of a processor at the latest: {output:?}"
        )
    });
    let run = Run { status, stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!run.stderr.contains("panicked"), "{run}");
    run
}

/// Removes environment variables that could affect the tests.
fn scrub(command: &mut Command, folder: &Path) {
    const NAMES: [&str; 8] =
        ["CI", "COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "RAYON_NUM_THREADS"];
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let prefixed = ["GITHUB_", "GITLAB_", "ATMOS_", "GIT_", "STACKLINT_"].iter().any(|p| text.starts_with(p));
        if prefixed || NAMES.contains(&&*text) {
            command.env_remove(&name);
        }
    }
    // No repository around the temporary folder counts.
    let ceiling = temporary_root().canonicalize().unwrap_or_else(|_| temporary_root().to_owned());
    command.current_dir(folder).env("GIT_CEILING_DIRECTORIES", ceiling).env("HOME", "/nonexistent");
}
