//! Revisions and ranges of revisions.
#![allow(clippy::disallowed_methods, reason = "git says in a variable that objects are in quarantine")]

use gix::ObjectId;
use gix::objs::{Kind, TagRefIter};

use super::error::{QUARANTINE, UNRELATED, deepen, fetch};
use super::objects::{Found, Snapshot, find, is_shallow};
use super::{Environment, Error, Repository, Source, reason};

/// Why a name of several commits is refused.
const SEVERAL: &str = "did not resolve to a single object";
/// Most references examined for a suggestion.
const MAX_SUGGESTIONS: usize = 10_000;

/// How a user names what to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spec {
    /// `REV`
    Single(String),
    /// `BASE..HEAD`: the two as they are.
    TwoDot(String, String),
    /// `BASE...HEAD`: from where `HEAD` branched off `BASE`.
    ThreeDot(String, String),
    /// `REV^!`: what one commit changes.
    Commit(String),
}

impl Spec {
    /// Splits at the first `..` or `...`; an empty side is `HEAD`. `REV^-N` is `REV^N..REV`. Does not check whether the names
    /// exist.
    pub(crate) fn parse(text: &str) -> Self {
        let side = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        if let Some((base, head)) = text.split_once("..") {
            return match head.strip_prefix('.') {
                Some(head) => Self::ThreeDot(side(base), side(head)),
                None => Self::TwoDot(side(base), side(head)),
            };
        }
        if let Some(commit) = text.strip_suffix("^!") {
            return Self::Commit(side(commit));
        }
        match text.rsplit_once("^-") {
            Some((commit, parent)) if parent.bytes().all(|byte| byte.is_ascii_digit()) => {
                let parent = if parent.is_empty() { "1" } else { parent };
                Self::TwoDot(format!("{}^{parent}", side(commit)), side(commit))
            }
            _ => Self::Single(side(text)),
        }
    }

    /// Whether it names both sides of a comparison.
    pub(crate) fn is_range(&self) -> bool {
        !matches!(self, Self::Single(_))
    }
}

/// A commit, and how it was named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Revision {
    name: String,
    commit: ObjectId,
}

impl Revision {
    /// The full hexadecimal id of the commit.
    pub(crate) fn commit(&self) -> String {
        self.commit.to_string()
    }

    /// How it was named.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The id of the commit.
    pub(super) fn id(&self) -> ObjectId {
        self.commit
    }
}

/// The two sides of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// The older side.
    pub base: Revision,
    /// The newer side.
    pub head: Revision,
}

impl Repository {
    /// Resolves a name to a commit: branches, tags (also annotated), remote branches, ids, `HEAD~1`, `@{upstream}`, …
    pub(crate) fn resolve(&self, spec: &str) -> Result<Revision, Error> {
        let spec = if spec.is_empty() { "HEAD" } else { spec };
        let found = self.objects.with(|repo| {
            // Git may pack objects and references meanwhile: what has moved is found again.
            let named = repo.rev_parse(spec).or_else(|_| repo.rev_parse(spec));
            let named = named.map_err(|error| self.unresolved(repo, spec, &reason(error)))?;
            // `X^!`, `X^@` and `^X` mean other commits than `X`.
            let gix::revision::plumbing::Spec::Include(id) = named.detach() else {
                return Err(not_a_commit(repo, spec, SEVERAL.to_owned()));
            };
            let mut at = id;
            // Tags of tags end somewhere: each contains the hash of the next one.
            loop {
                let broken = |reason| Error::BrokenObject { id: at.to_string(), path: None, reason };
                let Some(object) = find(repo, at).map_err(broken)? else { return Ok(Err(at)) };
                at = match object.kind {
                    Kind::Commit => return Ok(Ok(at)),
                    Kind::Tag => TagRefIter::from_bytes(&object.data, at.kind())
                        .target_id()
                        .map_err(|error| broken(reason(error)))?,
                    kind => return Err(not_a_commit(repo, spec, format!("was {kind}"))),
                };
            }
        })?;
        match found {
            Ok(commit) => Ok(Revision { name: spec.to_owned(), commit }),
            Err(missing) => Err(self.objects.missing(missing, None)),
        }
    }

    /// Resolves both sides of `A..B` or `A...B`. For a single revision, the caller chooses the other side: see
    /// [`Spec`].
    pub(crate) fn range(&self, spec: &str) -> Result<Range, Error> {
        match Spec::parse(spec) {
            Spec::Single(_) => Err(Error::NotARange(spec.to_owned())),
            Spec::TwoDot(base, head) => Ok(Range { base: self.resolve(&base)?, head: self.resolve(&head)? }),
            Spec::ThreeDot(base, head) => {
                let (base, head) = (self.resolve(&base)?, self.resolve(&head)?);
                Ok(Range { base: self.merge_base(&base, &head)?, head })
            }
            Spec::Commit(name) => {
                let head = self.resolve(&name)?;
                match &self.parents(&head)[..] {
                    [parent] => Ok(Range { base: self.resolve(parent)?, head }),
                    parents => Err(Error::NotOneParent { spec: name, parents: parents.len() }),
                }
            }
        }
    }

    /// The best common ancestor.
    pub(crate) fn merge_base(&self, a: &Revision, b: &Revision) -> Result<Revision, Error> {
        self.objects.with(|repo| {
            let none = || Error::NoMergeBase {
                base: a.name.clone(),
                head: b.name.clone(),
                hint: match is_shallow(repo) {
                    true => deepen(&[a.commit.to_string(), b.commit.to_string()]),
                    false => UNRELATED.to_owned(),
                },
            };
            // Git ignores a commit-graph that it cannot read, too.
            let graph = repo.commit_graph_if_enabled().ok().flatten();
            let merge_base = |graph: Option<&gix::commitgraph::Graph>| {
                repo.merge_base_with_graph(a.commit, b.commit, &mut repo.revision_graph(graph))
            };
            match merge_base(graph.as_ref()).or_else(|_| merge_base(None)) {
                // Parents beyond the edge of a shallow clone are known by name only.
                Ok(Some(id)) if is_shallow(repo) && !repo.has_object(id) => Err(none()),
                Ok(Some(id)) => Ok(Revision { name: format!("{}...{}", a.name, b.name), commit: id.detach() }),
                Ok(None) => Err(none()),
                Err(_) if is_shallow(repo) => Err(none()),
                Err(error) => Err(Error::BrokenObject { id: a.commit.to_string(), path: None, reason: reason(error) }),
            }
        })
    }

    /// The ids of the parents of a commit, also of those beyond the edge of a shallow clone.
    pub(crate) fn parents(&self, revision: &Revision) -> Vec<String> {
        self.objects.with(|repo| match repo.find_commit(revision.commit) {
            Ok(commit) => commit.parent_ids().map(|id| id.detach().to_string()).collect(),
            Err(_) => Vec::new(),
        })
    }

    /// The first lines of the messages of the commits that `head` has and `base` has not, each with the name of its author, the newest
    /// first, up to `limit`. Fewer where history is cut off.
    pub(crate) fn commits_between(&self, base: &str, head: &str, limit: usize) -> Vec<(String, String)> {
        let id = |text: &str| ObjectId::from_hex(text.as_bytes()).ok();
        let Some((base, head)) = id(base).zip(id(head)) else { return Vec::new() };
        self.objects.with(|repo| {
            let Ok(walk) = repo.rev_walk([head]).with_hidden([base]).all() else { return Vec::new() };
            let found = walk.map_while(Result::ok).filter_map(|info| {
                let commit = info.object().ok()?;
                let author = commit.author().ok()?.name.to_string();
                Some((commit.message().ok()?.summary().to_string(), author))
            });
            found.take(limit).collect()
        })
    }

    /// The files of a commit named by `spec`.
    pub(crate) fn revision(&self, spec: &str) -> Result<Box<dyn Source>, Error> {
        self.at(&self.resolve(spec)?)
    }

    /// Returns an empty source if HEAD has no commit yet; `None` if it has one.
    pub(crate) fn before_first_commit(&self) -> Option<Box<dyn Source>> {
        let is_unborn = self.objects.with(|repo| repo.head().is_ok_and(|head| head.is_unborn()));
        let empty = is_unborn.then(|| Snapshot::new(&self.objects, Found::default(), "HEAD".to_owned(), None).ok());
        Some(Box::new(empty??))
    }

    /// The files of a commit.
    pub(crate) fn at(&self, revision: &Revision) -> Result<Box<dyn Source>, Error> {
        let id = revision.commit;
        let tree = self.objects.with(|repo| {
            let Some(object) = find(repo, id)? else { return Ok(None) };
            let commit = object.try_into_commit().map_err(reason)?;
            Ok(Some(commit.tree_id().map_err(reason)?.detach()))
        });
        let tree = tree
            .map_err(|reason| Error::BrokenObject { id: id.to_string(), path: None, reason })?
            .ok_or_else(|| self.objects.missing(id, None))?;
        let mut found = Found::default();
        self.objects.walk(tree, "", &revision.name, &mut found)?;
        Ok(Box::new(Snapshot::new(&self.objects, found, revision.name.clone(), Some(id))?))
    }

    /// Explains why a name could not be resolved.
    fn unresolved(&self, repo: &gix::Repository, spec: &str, why: &str) -> Error {
        let start = plain_part(spec);
        if matches!(start, "HEAD" | "@")
            && let Ok(head) = repo.head()
            && head.is_unborn()
            && let Some(name) = head.referent_name()
        {
            return Error::Unborn { branch: name.shorten().to_string() };
        }
        if start != spec && repo.rev_parse_single(start).is_ok() {
            return not_a_commit(repo, spec, why.to_owned());
        }
        if why.contains("ambiguous") {
            return not_a_commit(repo, spec, why.to_owned());
        }
        let suggestion = suggest(repo, start);
        let is_id = start.len() >= 4 && start.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hint = if is_id && start.len() >= 40 {
            Some(match is_shallow(repo) {
                _ if self.environment == Environment::Honour && std::env::var_os("GIT_QUARANTINE_PATH").is_some() => {
                    QUARANTINE.to_owned()
                }
                true => fetch(start),
                false => format!("the commit is not in this clone: run `git fetch origin {start}`"),
            })
        } else if is_id && is_shallow(repo) {
            Some(format!("{}; a server finds commits only by their full ids", fetch("FULL_ID")))
        } else if suggestion.is_none() && is_shallow(repo) {
            Some(format!(
                "it may not have been fetched: run `git fetch origin {start}` (in GitHub Actions set \
                          `fetch-depth: 0` for actions/checkout)"
            ))
        } else {
            None
        };
        Error::UnknownRevision { spec: spec.to_owned(), suggestion, hint }
    }
}

fn not_a_commit(repo: &gix::Repository, spec: &str, reason: String) -> Error {
    let start = repo.rev_parse_single(plain_part(spec)).ok();
    let hint = start.filter(|_| is_shallow(repo)).map(|id| deepen(&[id.detach().to_string()]));
    Error::NotACommit { spec: spec.to_owned(), reason: plain(&reason), hint }
}

/// Why git cannot resolve a name, without the words of the library.
fn plain(reason: &str) -> String {
    let number = |after: &str| -> Option<u64> {
        let rest = &reason[reason.find(after)? + after.len()..];
        rest.split(' ').next()?.parse().ok()
    };
    let of_commit = reason.find("Commit ").and_then(|at| {
        let mut words = reason[at..].split(' ').skip(1);
        let id = words.next()?;
        (words.next()? == "has").then_some(())?;
        Some((id, words.next()?.parse::<u64>().ok()?))
    });
    let count = |n: u64, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    match of_commit {
        Some((id, n)) if reason.contains("ancestor number") => {
            return format!("{id} has only {} in this clone", count(n, "earlier commit"));
        }
        Some((id, n)) if reason.contains("parent number") => return format!("{id} has only {}", count(n, "parent")),
        _ => {}
    }
    if reason.contains("ref-log entries") {
        let entries = number(" has ")
            .map_or_else(String::new, |n| format!(": it has {}", count(n, "entry").replace("entrys", "entries")));
        return format!("the reflog does not go back so far{entries}");
    }
    for (what, words) in
        [("was tree", "a folder"), ("was blob", "a file"), ("was tag", "a tag that is not of a commit")]
    {
        if reason.contains(what) {
            return format!("it is {words}");
        }
    }
    if reason.contains("ambiguous") {
        return "several objects begin with this id: write more characters".to_owned();
    }
    if reason.contains("did not resolve to a single object") {
        return "it does not name exactly one commit".to_owned();
    }
    "what follows the name cannot be read: write `~N`, `^N` or `@{N}`".to_owned()
}

/// The reference or id a revision starts with, before `~`, `^`, `:` and `@{`.
fn plain_part(spec: &str) -> &str {
    let end = spec.find(['~', '^', ':']).unwrap_or(spec.len());
    let end = spec.find("@{").map_or(end, |at| end.min(at));
    if end == 0 { spec } else { &spec[..end] }
}

/// The reference whose name is closest to `name`: the same one on a remote, else one that looks like a typing error.
fn suggest(repo: &gix::Repository, name: &str) -> Option<String> {
    let platform = repo.references().ok()?;
    let references = platform.all().ok()?;
    let mut best: Option<(f64, String)> = None;
    for reference in references.filter_map(Result::ok).take(MAX_SUGGESTIONS) {
        let full = reference.name().as_bstr().to_string();
        let (short, own) = if let Some(short) = full.strip_prefix("refs/remotes/") {
            (short, short.split_once('/').map_or(short, |(_, branch)| branch))
        } else if let Some(short) = full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/tags/")) {
            (short, short)
        } else {
            continue;
        };
        // Bounded, because names can be long and the measure is quadratic.
        if short.len() > 256 || name.len() > 256 || own == "HEAD" {
            continue;
        }
        let score = if own == name || own.rsplit('/').next() == Some(name) {
            1.0
        } else {
            let close = |candidate: &str| strsim::normalized_damerau_levenshtein(candidate, name);
            // A local branch comes before the same one of a remote.
            close(short).max(close(own) - 0.01)
        };
        let better =
            best.as_ref().is_none_or(|(least, kept)| score > *least || (score == *least && short < kept.as_str()));
        if score >= 0.6 && better {
            best = Some((score, short.to_owned()));
        }
    }
    best.map(|(_, name)| name)
}
