//! Which git repository a folder belongs to. Nothing that a repository commits may choose it: a folder `infra` with the files
//! `HEAD`, `config`, `objects/` and `refs/` looks like a bare repository, and git would take its configuration and its history
//! for those of the repository under review.
//!
//! A git directory is used only if it is called `.git`, if a file `.git` points to it (linked worktrees and
//! submodules), or if it is named explicitly: by `GIT_DIR`, or as a bare repository that is the start folder itself and
//! is not inside of another worktree.
#![allow(clippy::disallowed_methods, reason = "this is where a repository is looked for on the disk")]

use std::path::{Path, PathBuf};

use gix::ThreadSafeRepository;
use gix::bstr::ByteSlice;
use gix::discover::{is_git, repository, upwards, upwards_opts};
use gix::open::Options;

use super::{ConfigPlace, Environment, Error, reason};

/// Opens the repository that `start`, a directory, belongs to, if any.
pub(super) fn open(start: &Path, environment: Environment) -> Result<Option<ThreadSafeRepository>, Error> {
    let failed = |error: gix::Error| Error::Open { path: start.into(), reason: reason(error) };
    let is_honoured = environment == Environment::Honour;
    if is_honoured && std::env::var_os("GIT_DIR").is_some() {
        return ThreadSafeRepository::open_with_environment_overrides(start, trust(options(environment)))
            .map_err(failed)
            .and_then(|found| references_can_be_read(&found).map(|()| Some(found)));
    }
    let protected = Protected::read(environment);
    stays_inside(start, environment)?;
    let (path, found) = match upwards_opts(start, upward(environment)) {
        Ok((path, _)) => {
            let opened = ThreadSafeRepository::discover_opts(start, upward(environment), trust(options(environment)));
            (Some(path), opened.map_err(failed)?)
        }
        Err(error) if is_absent(&error) => {
            if is_git(start).is_err() {
                return Ok(None);
            }
            if protected.rejects_bare() {
                return Err(untrusted(start, "safe.bareRepository is `explicit`", None));
            }
            (None, options(environment).open_path_as_is(true).open(start).map_err(failed)?)
        }
        Err(error) => return Err(failed(error)),
    };
    references_can_be_read(&found)?;
    judge(&found, path.as_ref(), &protected, is_honoured)?;
    Ok(Some(found))
}

/// Opens the git directory of a submodule, to read its objects only; `None` if it borrows them from elsewhere.
pub(super) fn objects_of(git_dir: &Path) -> Option<ThreadSafeRepository> {
    if git_dir.join("objects/info/alternates").exists() {
        return None;
    }
    options(Environment::Ignore).open_path_as_is(true).open(git_dir).ok()
}

/// Rejects references in a format that looks as if there were none, a damaged HEAD, which looks as if it had no commit yet, and a list
/// of the commits where history is cut off that cannot be read.
fn references_can_be_read(found: &ThreadSafeRepository) -> Result<(), Error> {
    let repo = found.to_thread_local();
    if let Err(error) = repo.shallow_commits() {
        return Err(Error::Open { path: repo.git_dir().into(), reason: reason(error) });
    }
    if let Ok(head) = repo.head()
        && let Some(name) = head.referent_name().filter(|name| !name.as_bstr().starts_with(b"refs/"))
    {
        let reason = format!("HEAD names `{name}`, which is no reference");
        return Err(Error::Open { path: repo.git_dir().into(), reason });
    }
    match repo.config_snapshot().string("extensions.refStorage").map(|format| format.to_string()) {
        Some(format) if format != "files" => Err(Error::Open {
            path: repo.git_dir().into(),
            reason: format!("its references are in the format `{format}`: run `git refs migrate --ref-format=files`"),
        }),
        _ => Ok(()),
    }
}

/// Rejects what belongs to somebody else, and what reads elsewhere.
fn judge(
    found: &ThreadSafeRepository,
    path: Option<&repository::Path>,
    protected: &Protected,
    is_honoured: bool,
) -> Result<(), Error> {
    let repo = found.to_thread_local();
    let (git_dir, common) = (real(repo.git_dir()), real(repo.common_dir()));
    let shown = repo.workdir().map_or_else(|| git_dir.clone(), real);
    if repo.git_dir_trust() != gix::sec::Trust::Full && is_honoured && !protected.is_safe(&shown) {
        return Err(untrusted(
            &shown,
            &format!(
                "it belongs to another user: run `git config --global --add safe.directory {}` if you trust it",
                shown.display()
            ),
            None,
        ));
    }
    let is_overridden = is_honoured && std::env::var_os("GIT_WORK_TREE").is_some();
    let expected = match path {
        Some(repository::Path::WorkTree(folder)) => Some(real(folder)),
        Some(repository::Path::LinkedWorkTree { work_dir, .. }) => Some(real(work_dir)),
        // The search started in the git directory itself.
        Some(repository::Path::Repository(folder)) if folder.ends_with(".git") => folder.parent().map(real),
        Some(repository::Path::Repository(_)) | None => None,
    };
    let sections = repo.config_snapshot();
    let is_local = |meta: &gix::config::file::Metadata| meta.source.kind() == gix::config::source::Kind::Repository;
    if let Some(worktree) = sections.plumbing().string_filter("core.worktree", is_local)
        && !is_overridden
    {
        let named = gix::path::from_bstr(worktree.as_bstr()).map(|path| real(git_dir.join(path))).ok();
        if named.is_none() || named != expected {
            let text =
                format!("its configuration sets core.worktree to {worktree}, which is not the folder that it is in");
            let says = |line: &str| line.trim_start().get(..8).is_some_and(|key| key.eq_ignore_ascii_case("worktree"));
            return Err(untrusted(&git_dir, &text, place(&common.join("config"), &says)));
        }
    }
    let current = std::env::current_dir().unwrap_or_default();
    // A file that cannot be read leads nowhere; objects that are missing are reported where they are needed.
    let others = gix::odb::alternate::resolve(common.join("objects"), &current).unwrap_or_default();
    for other in others.iter().map(real) {
        let is_inside = other.starts_with(&common) || expected.as_ref().is_some_and(|folder| other.starts_with(folder));
        if !is_inside && !other.ancestors().take(3).any(|folder| protected.is_safe(folder)) && is_honoured {
            let text = format!(
                "its objects/info/alternates leads to {}: run `git repack -a -d` and delete that file, or `git config --global \
                 --add safe.directory {0}` if you trust it",
                other.display()
            );
            let says = |line: &str| !line.trim().is_empty();
            return Err(untrusted(&git_dir, &text, place(&common.join("objects/info/alternates"), &says)));
        }
    }
    Ok(())
}

/// A link that a change commits must not lead into another repository.
fn stays_inside(start: &Path, environment: Environment) -> Result<(), Error> {
    let Ok(absolute) = std::path::absolute(start) else { return Ok(()) };
    let target = real(&absolute);
    let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    for link in absolute.ancestors().filter(|path| is_link(path)) {
        let Some(parent) = link.parent() else { continue };
        let Ok((path, _)) = upwards_opts(parent, upward(environment)) else { continue };
        let (_, worktree) = path.into_repository_and_work_tree_directories();
        if let Some(worktree) = worktree.map(|folder| real(&folder))
            && !target.starts_with(&worktree)
        {
            let text = format!("{} is a symbolic link that leads out of {}", link.display(), worktree.display());
            return Err(untrusted(start, &text, None));
        }
    }
    Ok(())
}

fn untrusted(path: &Path, why: &str, place: Option<ConfigPlace>) -> Error {
    Error::Untrusted { path: path.into(), reason: why.to_owned(), place }
}

/// Returns the first line of a file of a git directory that `says` accepts, if the file can be read.
fn place(file: &Path, says: &dyn Fn(&str) -> bool) -> Option<ConfigPlace> {
    let text = super::read_named(file).ok()?;
    let mut start = 0;
    let line = text.split_inclusive('\n').find(|line| {
        let is_it = says(line);
        start += if is_it { 0 } else { line.len() };
        is_it
    })?;
    let start = start + line.len() - line.trim_start().len();
    let span = start as u32..(start + line.trim().len()) as u32;
    let folder = file.ancestors().find(|folder| folder.ends_with(".git")).and_then(Path::parent)?;
    let path = file.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/");
    Some(ConfigPlace { path, text, span })
}

fn real(path: impl AsRef<Path>) -> PathBuf {
    path.as_ref().canonicalize().unwrap_or_else(|_| path.as_ref().into())
}

/// Only what is called `.git` counts on the way up.
fn upward(environment: Environment) -> upwards::Options<'static> {
    // A ceiling that is not a parent of the start folder is common and harmless.
    let options =
        upwards::Options { match_ceiling_dir_or_error: false, dot_git_only: true, ..upwards::Options::default() };
    if environment == Environment::Ignore {
        return options;
    }
    let across = std::env::var("GIT_DISCOVERY_ACROSS_FILESYSTEM").unwrap_or_default();
    let cross_fs = gix::config::Boolean::try_from(across.as_bytes().as_bstr()).is_ok_and(|value| value.0);
    upwards::Options { cross_fs, ..options.apply_environment() }
}

/// Returns the options for opening repositories: files that their configuration includes are not read.
fn options(environment: Environment) -> Options {
    match environment {
        Environment::Ignore => Options::isolated(),
        Environment::Honour => {
            let mut permissions = gix::open::Permissions::secure();
            permissions.config.includes = false;
            Options::default().permissions(permissions)
        }
    }
}

fn trust(options: Options) -> gix::sec::trust::Mapping<Options> {
    gix::sec::trust::Mapping { full: options.clone(), reduced: options }
}

/// Whether there is no repository at all.
fn is_absent(error: &gix::Error) -> bool {
    matches!(
        error.downcast_any_ref::<upwards::Error>(),
        Some(
            upwards::Error::NoGitRepository { .. }
                | upwards::Error::NoGitRepositoryWithinCeiling { .. }
                | upwards::Error::NoGitRepositoryWithinFs { .. }
        )
    )
}

/// The configuration of the machine and the user. That of the git installation is not read: finding it requires running
/// git.
fn users() -> Option<gix::config::File> {
    use gix::config::Source;
    let metas = [Source::System, Source::Git, Source::User].into_iter().filter_map(|source| {
        let path = source.storage_location(&mut |name| std::env::var_os(name)).filter(|path| path.is_file())?;
        let trust = gix::sec::Trust::Full;
        Some(gix::config::file::Metadata { path: Some(path), source, level: 0, trust })
    });
    let home = std::env::home_dir();
    let options = gix::config::file::init::Options {
        includes: gix::config::file::includes::Options {
            err_on_missing_config_path: false,
            ..gix::config::file::includes::Options::follow_without_conditional(home.as_deref())
        },
        ..Default::default()
    };
    gix::config::File::from_paths_metadata(metas, options).ok().flatten()
}

/// The configuration that no repository decides: of the machine, of the user, and of the environment. Its includes are read.
pub(super) struct Protected {
    files: Vec<gix::config::File>,
}

impl Protected {
    pub(super) fn read(environment: Environment) -> Self {
        if environment == Environment::Ignore {
            return Self { files: Vec::new() };
        }
        let files = [users(), gix::config::File::from_environment_overrides().ok()];
        Self { files: files.into_iter().flatten().collect() }
    }

    /// The last value of a path.
    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        let value = self.files.iter().rev().find_map(|file| file.path(key))?;
        let home = std::env::home_dir();
        let context = gix::config::path::interpolate::Context { home_dir: home.as_deref(), ..Default::default() };
        value.interpolate(context).ok()
    }

    fn rejects_bare(&self) -> bool {
        let value = self.files.iter().rev().find_map(|file| file.string("safe.bareRepository"));
        value.is_some_and(|value| value.eq_ignore_ascii_case(b"explicit"))
    }

    /// Whether `safe.directory` contains a folder. As in git, an empty value clears the list, `*` means every folder,
    /// and a trailing `/*` means all folders below one.
    fn is_safe(&self, folder: &Path) -> bool {
        let values = self.files.iter().filter_map(|file| file.strings("safe.directory")).flatten();
        let mut is_safe = false;
        for value in values {
            let text = value.to_string();
            is_safe = match text.as_str() {
                "" => false,
                "*" => true,
                text => {
                    let text = match (text.strip_prefix("~/"), std::env::home_dir()) {
                        (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
                        _ => text.to_owned(),
                    };
                    is_safe
                        || match text.strip_suffix("/*") {
                            Some(above) => folder.starts_with(real(above)),
                            None => folder == real(&text),
                        }
                }
            };
        }
        is_safe
    }
}
