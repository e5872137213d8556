//! Which files the expressions of a module name, all blocks included: arguments of functions that read files, texts that begin with
//! `path.module`, `path.root` or `path.cwd`, and texts that look like paths, which a provider may read by itself.

use crate::go::path::clean;
use crate::hcl::ast::walk;
use crate::hcl::ast::{Body, Call, Expr, ExprKind, Part, Span, TraversalStep};
use crate::paths::join;
use crate::terraform::module::block::Written;
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Functions whose first argument is the path of a file, or of a folder that is searched.
const READERS: [&str; 11] = [
    "file",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "fileexists",
    "filemd5",
    "fileset",
    "filesha1",
    "filesha256",
    "filesha512",
    "templatefile",
];

/// A longer text is no path, in bytes.
const MAX_PATH: usize = 200;

/// Functions that take a path for a text: a name is made of it, and no file is read.
const NAMERS: [&str; 2] = ["basename", "dirname"];

/// Whether a function reads the file, or searches the folder, that its first argument names.
pub(crate) fn is_reader(function: &str) -> bool {
    READERS.contains(&function)
}

/// Whether a path begins in the home folder of the user, which is not known: nothing in the repository is named from there. `text`
/// returns the text of an expression that is known, `named` whether the value of a local or variable is such a path.
pub(crate) fn is_at_home(
    path: &Expr,
    text: &dyn Fn(&Expr) -> Option<String>,
    named: &dyn Fn(&str, &Text) -> bool,
) -> bool {
    let is = |part: &Expr| is_at_home(part, text, named);
    match &path.kind {
        ExprKind::Paren(inner) | ExprKind::Wrapped(inner) => is(inner),
        ExprKind::Template(parts) => matches!(parts.first(), Some(Part::Value(first)) if is(first)),
        ExprKind::Conditional(_, yes, no) => {
            let is_null = |branch: &Expr| matches!(walk::unwrapped(branch).kind, ExprKind::Null);
            [yes, no].into_iter().all(|branch| is_null(branch) || is(branch))
        }
        ExprKind::Call(call) if &*call.name.text == "pathexpand" => {
            call.arguments.first().and_then(text).is_some_and(|text| text.starts_with('~'))
        }
        ExprKind::Traversal(root, steps) => match steps.as_slice() {
            [TraversalStep::Attribute(name)] => named(&root.text, &name.text),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a word, or a string with this text, is in an expression that may name a file. Every one that does has one.
pub(crate) fn is_word(text: &str) -> bool {
    text == "path" || text == WORKING_FOLDER || is_reader(text) || named_in(text).next().is_some()
}

/// The argument of a program that says in which folder it runs, from the folder of the root module.
const WORKING_FOLDER: &str = "working_dir";

/// The paths in a text: it is one, or it has words with a slash, as a command has.
fn named_in(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|' | '(' | ')' | '=' | ',');
    let words = text.split(is_end).filter(|word| word.contains('/'));
    let whole = Some(text).filter(|text| looks_like_path(text));
    let words = words.filter(move |word| whole.is_none() && looks_like_path(word));
    whole.into_iter().chain(words)
}

/// Whether a text may be a relative path of a file, or of a folder that is not beside the code: `src/a.py`, `./chart`, `a.zip`.
fn looks_like_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= MAX_PATH
        && bytes.iter().any(|byte| matches!(byte, b'/' | b'.'))
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && bytes[0] != b'/'
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_'))
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    /// In the folder of the root module, where the tool runs.
    Root,
    /// In the folder of the module.
    Module,
    /// As `Root`, of a text that only looks like a path: it is one if it leads to something.
    Text,
}

/// A path as far as its text shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedPath {
    pub base: Base,
    /// Its prefix.
    pub before: String,
    /// Its suffix, if a part in between is computed; `None` if `before` is the whole path.
    pub after: Option<String>,
}

/// The files that a module reads, as far as its text shows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedPaths {
    /// Paths that are known, at least where they begin.
    pub named: BTreeSet<NamedPath>,
    /// Arguments of functions that read files, whose text shows nothing.
    pub computed: Vec<Written>,
}

/// A path, from the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pattern {
    /// This file, or all below this folder; empty for all of the repository.
    Path(String),
    /// All that begin with the one and end with the other.
    Between(String, String),
}

/// Which files a path may mean that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// Any.
    All,
    /// Any but those of code, which no function reads.
    Data,
}

impl Pattern {
    /// Whether a path is meant, or leads to what is meant: that of a link or a submodule.
    pub(crate) fn matches(&self, path: &str) -> bool {
        match self {
            Pattern::Path(whole) => is_within(path, whole) || is_within(whole, path),
            Pattern::Between(before, after) => {
                path.len() >= before.len() + after.len() && path.starts_with(&**before) && path.ends_with(&**after)
                    || before.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
            }
        }
    }
}

/// Whether a path equals another one, or is below it.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl NamedPath {
    /// The path from the root of the repository; `None` if it leaves the repository.
    pub(crate) fn resolve(&self, root: &str, module: &str) -> Option<Pattern> {
        let dir = if self.base == Base::Module { module } else { root };
        inside(dir, &self.before, self.after.as_deref())
    }
}

/// A path that begins in a folder, from the root of the repository; `None` if it leaves the repository.
pub(crate) fn inside(dir: &str, before: &str, after: Option<&str>) -> Option<Pattern> {
    let full = join(dir, before.trim_start_matches('/'));
    let Some(after) = after else {
        let path = clean(&full);
        let path = if path == "." { String::new() } else { path };
        return (!path.starts_with("..")).then_some(Pattern::Path(path));
    };
    // The last segment may continue: only the folder before it is cleaned.
    let (folder, rest) = full.rsplit_once('/').unwrap_or(("", &full));
    let folder = clean(folder);
    if folder.starts_with("..") || rest == ".." {
        return None;
    }
    let before = if folder == "." { rest.to_owned() } else { format!("{folder}/{rest}") };
    Some(Pattern::Between(before, after.to_owned()))
}

/// Notes the paths and the names that the expressions of a file refer to.
pub(crate) fn collect(body: &Body, file: FileId, paths: &mut NamedPaths, used_locals: &mut BTreeSet<Text>) {
    collect_in("", body, file, paths, used_locals);
}

fn collect_in(kind: &str, body: &Body, file: FileId, paths: &mut NamedPaths, used_locals: &mut BTreeSet<Text>) {
    let working = body.attributes.iter().find(|attribute| *attribute.name.text == *WORKING_FOLDER);
    let working = working.and_then(|attribute| walk::constant_text(&attribute.expr));
    for attribute in &body.attributes {
        // Sources and versions of modules and providers are no files.
        let has_texts = kind != "terraform" && !(kind == "module" && &*attribute.name.text == "source");
        let (span, seen) = (attribute.span(), BTreeSet::new());
        let mut collector = Collector { file, span, has_texts, working, paths, seen };
        collector.expr(&attribute.expr);
        for reference in walk::references(&attribute.expr) {
            if let ("local", Some(TraversalStep::Attribute(name))) = (&*reference.root.text, reference.steps.first())
                && !used_locals.contains(&name.text)
            {
                used_locals.insert(name.text.clone());
            }
        }
    }
    for block in &body.blocks {
        let kind = if kind == "terraform" { kind } else { &block.kind.text };
        collect_in(kind, &block.body, file, paths, used_locals);
    }
}

/// The paths of an expression that is the argument of a function that reads files, if its text shows where they begin.
pub(crate) fn of_argument(expr: &Expr) -> Option<BTreeSet<NamedPath>> {
    let mut paths = NamedPaths::default();
    let span = expr.span;
    let (file, seen) = (FileId::new(0), BTreeSet::new());
    let mut collector = Collector { file, span, has_texts: false, working: None, paths: &mut paths, seen };
    collector.path(expr).then_some(paths.named)
}

/// The argument of a call that is the path of a file, or of a folder that is searched.
pub(crate) fn argument(call: &Call) -> Option<&Expr> {
    let name = call.name.text.strip_prefix("core::").unwrap_or(&call.name.text);
    call.arguments.first().filter(|_| READERS.contains(&name))
}

struct Collector<'m> {
    file: FileId,
    /// The argument that is searched.
    span: Span,
    /// Whether its texts may be paths of files that a provider reads.
    has_texts: bool,
    /// The folder in which what its texts name is run, if that is not the one of the root module.
    working: Option<&'m str>,
    paths: &'m mut NamedPaths,
    /// Places of references to folders that are part of a longer path, and of texts that are known to be paths, or not to be.
    seen: BTreeSet<Span>,
}

/// Returns the folder of a reference.
fn folder(expr: &Expr) -> Option<Base> {
    let reference = walk::as_reference(walk::unwrapped(expr))?;
    match (&*reference.root.text, reference.steps) {
        ("path", [TraversalStep::Attribute(name)]) => match &*name.text {
            "module" => Some(Base::Module),
            "root" | "cwd" => Some(Base::Root),
            _ => None,
        },
        _ => None,
    }
}

fn begins_with_folder(parts: &[Part]) -> bool {
    matches!(parts.first(), Some(Part::Value(first)) if folder(first).is_some())
}

impl Collector<'_> {
    fn expr(&mut self, expr: &Expr) {
        walk::visit(expr, &mut |inner| match &inner.kind {
            ExprKind::Call(call) => self.call(call),
            ExprKind::Template(parts) if begins_with_folder(parts) => {
                self.path(inner);
            }
            ExprKind::Template(parts) if self.has_texts && !self.seen.contains(&inner.span) => self.text(parts),
            ExprKind::Traversal(..) if !self.seen.contains(&inner.span) => self.whole(inner),
            _ => {}
        });
    }

    /// Records what in a text looks like a path.
    fn text(&mut self, parts: &[Part]) {
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(&**text),
            _ => None,
        });
        // A part of a text is a path only if it says so.
        let texts = texts.filter(|text| parts.len() == 1 || !looks_like_path(text));
        for path in texts.flat_map(named_in) {
            let below = self.working.map(|folder| join(folder, path));
            for before in [path.to_owned()].into_iter().chain(below) {
                self.paths.named.insert(NamedPath { base: Base::Text, before, after: None });
            }
        }
    }

    fn whole(&mut self, expr: &Expr) {
        if let Some(base) = folder(expr) {
            self.paths.named.insert(NamedPath { base, before: String::new(), after: None });
        }
    }

    fn call(&mut self, call: &Call) {
        let name = call.name.text.strip_prefix("core::").unwrap_or(&call.name.text);
        if let Some(path) = argument(call) {
            if !self.path(path) {
                let written = Written { file: self.file, span: self.span, expr: Arc::new(path.clone()) };
                self.paths.computed.push(written);
            }
        } else if let Some(first) = call.arguments.first().filter(|_| NAMERS.contains(&name)) {
            walk::visit(first, &mut |inner| {
                self.seen.insert(inner.span);
            });
        }
    }

    /// Records the path of an expression; returns `false` if its text does not show its base.
    fn path(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Wrapped(inner) => self.path(inner),
            ExprKind::Conditional(_, yes, no) => self.path(yes) & self.path(no),
            ExprKind::Traversal(..) => {
                self.whole(expr);
                folder(expr).is_some()
            }
            ExprKind::Template(parts) => {
                self.seen.insert(expr.span);
                self.template(parts)
            }
            _ => false,
        }
    }

    fn template(&mut self, parts: &[Part]) -> bool {
        let (base, rest) = match parts {
            [Part::Value(first), rest @ ..] => match folder(first) {
                Some(base) => {
                    self.seen.insert(walk::unwrapped(first).span);
                    (base, rest)
                }
                None => return false,
            },
            all => (Base::Root, all),
        };
        let (before, is_open) = match rest {
            [] => (String::new(), false),
            [Part::Text(text), more @ ..] => (text.to_string(), !more.is_empty()),
            _ => (String::new(), true),
        };
        if before.is_empty() && is_open && base == Base::Root && parts.len() == rest.len() {
            return false;
        }
        let after = match rest.last() {
            Some(Part::Text(text)) if is_open => text.to_string(),
            _ => String::new(),
        };
        self.paths.named.insert(NamedPath { base, before, after: is_open.then_some(after) });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hcl::parse::{Layout, parse_body};

    fn patterns(text: &str) -> (Vec<String>, usize) {
        let body = parse_body(text, Layout::Strict).body;
        let (mut paths, mut used_locals) = (NamedPaths::default(), BTreeSet::new());
        collect(&body, FileId::new(0), &mut paths, &mut used_locals);
        let shown = |p: &NamedPath| match p.resolve("envs/a", "modules/m") {
            Some(Pattern::Path(path)) => path,
            Some(Pattern::Between(before, after)) => format!("{before}*{after}"),
            None => "outside".to_owned(),
        };
        (paths.named.iter().map(shown).collect(), paths.computed.len())
    }

    #[test]
    fn paths_are_found_in_all_blocks() {
        for (text, expected, computed) in [
            ("a = file(\"x.json\")\n", &["envs/a/x.json"][..], 0),
            ("a = file(\"${path.module}/../x.json\")\n", &["modules/x.json"], 0),
            (
                "r \"a\" \"b\" {\n  c = templatefile(\"${path.module}/t/${each.key}.tpl\", {})\n}\n",
                &["modules/m/t/*.tpl"],
                0,
            ),
            ("a = fileset(path.module, \"*.json\")\n", &["modules/m"], 0),
            ("a = file(var.x)\n", &[], 1),
            ("a = file(var.x ? \"a\" : \"b\")\n", &["envs/a/a", "envs/a/b"], 0),
            ("a = basename(path.module)\n", &[], 0),
            ("a = \"${path.root}/src\"\n", &["envs/a/src"], 0),
            ("a = \"x/${path.root}\"\n", &["envs/a"], 0),
            ("a = file(\"../../../x\")\n", &["outside"], 0),
            (
                "r {\n  a = [\"src/a.py\", \"a.zip\", \"./b\", \"x y/z\", \"a\", \"1.2\", \"/a/b\"]\n}\n",
                &["envs/a/b", "envs/a/a.zip", "envs/a/src/a.py", "envs/a/y/z"],
                0,
            ),
            ("module \"m\" {\n  source = \"../m\"\n}\nterraform {\n  b \"local\" {\n    p = \"a/b\"\n  }\n}\n", &[], 0),
        ] {
            let expected: Vec<String> = expected.iter().map(|s| (*s).to_owned()).collect();
            assert_eq!(patterns(text), (expected, computed), "{text}");
        }
    }

    #[test]
    fn patterns_end_at_parts_of_paths() {
        assert!(Pattern::Path("a/b".to_owned()).matches("a/b/c") && !Pattern::Path("a/b".to_owned()).matches("a/bc"));
        let between = Pattern::Between("a/b".to_owned(), "c".to_owned());
        assert!(between.matches("a/bxc") && !between.matches("a/b") && !between.matches("b/bc"));
    }
}
