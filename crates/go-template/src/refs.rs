//! What a template may read from its data, determined without running it.

use super::Template;
use super::ast::{Branch, BranchKind, Command, Expr, ExprKind, List, Node, Pipe};
use shared_text::Text;
use std::collections::BTreeSet;
use std::ops::Range;
use traced_value::Data;

/// A path that a template may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The keys from the root of the data on; never empty.
    pub path: Vec<String>,
    /// Its place in bytes of the template; for `index .a "b"` the whole call.
    pub span: Range<usize>,
    /// Its absence is handled: it is (part of) a condition, an argument of `default` or a similar function, or in the
    /// body of a condition on the same path.
    pub guarded: bool,
}

/// Functions that cope with something missing.
const GUARDS: &[&str] = &[
    "and", "any", "all", "coalesce", "compact", "default", "dig", "empty", "get", "hasKey", "index", "isset", "kindIs",
    "kindOf", "not", "or", "ternary",
];

/// Functions whose second argument, if it is a literal, is a key of the first.
const LOOKUPS: &[&str] = &["get", "hasKey", "index"];

/// Functions that turn a condition round.
const NEGATIONS: &[&str] = &["not", "empty"];

/// A known place in the data; nothing for computed values.
type Path = Option<Vec<String>>;

/// All that a template may read.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// The paths, in the order of the text.
    pub references: Vec<Reference>,
    /// The paths of values that are used as a whole (printed, passed to a function, iterated), so that anything below
    /// them may be read. Empty paths are the root.
    pub whole: Vec<Vec<String>>,
    /// Whether that is all: not if a named template is called by nothing, or the template is too large to be examined.
    pub complete: bool,
}

pub(super) fn collect(template: &Template) -> Reads {
    let mut walk = ReferenceWalk {
        template,
        found: Vec::new(),
        whole: Vec::new(),
        vars: vec![("$", Some(Vec::new()))],
        tested: Vec::new(),
        guarding: 0,
        following: false,
        active: Vec::new(),
        called: BTreeSet::new(),
        budget: 20_000,
        complete: true,
    };
    walk.list(&Some(Vec::new()), &template.root);
    // Definitions that nothing calls with a known place are read with an unknown dot.
    let complete = walk.complete && template.definitions.keys().all(|name| walk.called.contains(name.as_str()));
    let (mut references, mut whole) = (walk.found, walk.whole);
    references.sort_by(|a, b| (a.span.start, a.span.end, &a.path).cmp(&(b.span.start, b.span.end, &b.path)));
    references.dedup();
    whole.sort();
    whole.dedup();
    Reads { references, whole, complete }
}

/// Returns the fields (`.a.b`) in the main body of a template, whatever the dot is there: not those of variables, of
/// results (`(…).a`) or in `define`.
pub(super) fn lexical_fields(template: &Template) -> Vec<Vec<&str>> {
    fn list<'t>(nodes: &'t List, found: &mut Vec<Vec<&'t str>>) {
        for node in nodes {
            match node {
                Node::Action { pipe: p, .. } => pipe(p, found),
                Node::Branch(branch) => {
                    pipe(&branch.pipe, found);
                    list(&branch.body, found);
                    branch.alternative.iter().for_each(|nodes| list(nodes, found));
                }
                Node::Template { pipe: p, .. } => p.iter().for_each(|p| pipe(p, found)),
                Node::Text(_) | Node::Break | Node::Continue => {}
            }
        }
    }
    fn pipe<'t>(of: &'t Pipe, found: &mut Vec<Vec<&'t str>>) {
        for word in of.commands.iter().flat_map(|c| &c.words) {
            match &word.kind {
                ExprKind::Field(names) => found.push(names.iter().map(|n| &**n).collect()),
                ExprKind::Pipe(inner) => pipe(inner, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    list(&template.root, &mut found);
    found
}

struct ReferenceWalk<'t> {
    template: &'t Template,
    found: Vec<Reference>,
    whole: Vec<Vec<String>>,
    vars: Vec<(&'t str, Path)>,
    /// The paths that conditions around this place have tested.
    tested: Vec<Vec<String>>,
    /// Above zero: inside a condition or an argument of a guarding function.
    guarding: usize,
    /// The result of the next word is not used as a whole: it becomes a dot or a variable, which is tracked.
    following: bool,
    /// The named templates that are being walked.
    active: Vec<&'t str>,
    /// The named templates that were called.
    called: BTreeSet<&'t str>,
    /// How many nodes may still be walked; calls of named templates could multiply without it.
    budget: usize,
    complete: bool,
}

impl<'t> ReferenceWalk<'t> {
    fn list(&mut self, dot: &Path, list: &'t List) {
        for node in list {
            if self.budget == 0 {
                self.complete = false;
                return;
            }
            self.budget -= 1;
            match node {
                Node::Action { pipe, .. } => {
                    self.pipe(dot, pipe);
                }
                Node::Branch(branch) => self.branch(dot, branch),
                Node::Template { name, pipe, .. } => {
                    let known = self.template.definitions.contains_key(name);
                    let inner = pipe.as_ref().and_then(|p| self.followed(known, dot, p));
                    self.call(name, inner);
                }
                Node::Text(_) | Node::Break | Node::Continue => {}
            }
        }
    }

    fn call(&mut self, name: &'t str, dot: Path) {
        let template = self.template;
        let Some(body) = template.definitions.get(name) else { return };
        self.called.insert(name);
        if self.active.contains(&name) || self.active.len() > 20 {
            self.complete = false;
            return;
        }
        self.active.push(name);
        let vars = std::mem::replace(&mut self.vars, vec![("$", dot.clone())]);
        self.list(&dot, body);
        self.vars = vars;
        self.active.pop();
    }

    fn branch(&mut self, dot: &Path, branch: &'t Branch) {
        let vars = self.vars.len();
        let tested = self.tested.len();
        let first = self.found.len();
        let condition = branch.kind != BranchKind::Range;
        self.guarding += usize::from(condition);
        let subject = self.followed(branch.kind != BranchKind::Range, dot, &branch.pipe);
        self.guarding -= usize::from(condition);
        if condition {
            self.tested.extend(self.found[first..].iter().map(|r| r.path.clone()));
        }
        let known = self.tested.len();
        match branch.kind {
            BranchKind::If => self.list(dot, &branch.body),
            BranchKind::With => self.list(&subject, &branch.body),
            BranchKind::Range => {
                self.whole.extend(subject);
                let start = self.vars.len() - branch.pipe.variables.len().min(self.vars.len());
                for (_, path) in self.vars[start..].iter_mut().filter(|_| !branch.pipe.assigns) {
                    *path = None;
                }
                self.list(&None, &branch.body);
            }
        }
        self.tested.truncate(known);
        if !negated(&branch.pipe) {
            self.tested.truncate(tested);
        }
        if let Some(alternative) = &branch.alternative {
            self.list(dot, alternative);
        }
        self.tested.truncate(tested);
        self.vars.truncate(vars);
    }

    /// A pipeline whose result is followed: if it is nothing but a word, that word is not used as a whole.
    fn followed(&mut self, follow: bool, dot: &Path, pipe: &'t Pipe) -> Path {
        let sole = matches!(pipe.commands.as_slice(), [Command { words, .. }] if words.len() == 1);
        self.following = follow && sole;
        let value = self.pipe(dot, pipe);
        self.following = false;
        value
    }

    fn pipe(&mut self, dot: &Path, pipe: &'t Pipe) -> Path {
        let sole = matches!(pipe.commands.as_slice(), [Command { words, .. }] if words.len() == 1);
        let declares = sole && !pipe.variables.is_empty() && !pipe.assigns;
        self.following = (self.following || declares) && sole;
        let mut value = None;
        // A value piped into a guarding function is guarded, too.
        let last_guard = pipe.commands.iter().rposition(|c| function(c).is_some_and(|f| GUARDS.contains(&f)));
        for (i, command) in pipe.commands.iter().enumerate() {
            let guard = last_guard.is_some_and(|last| i < last);
            self.guarding += usize::from(guard);
            value = self.command(dot, command);
            self.guarding -= usize::from(guard);
        }
        for name in &pipe.variables {
            if pipe.assigns {
                // Which assignment is the last to run is not known here.
                if let Some(slot) = self.vars.iter_mut().rev().find(|(n, _)| n == name)
                    && slot.1 != value
                {
                    slot.1 = None;
                }
            } else {
                self.vars.push((name, value.clone()));
            }
        }
        value
    }

    fn command(&mut self, dot: &Path, command: &'t Command) -> Path {
        let name = function(command);
        if let Some(name) = name
            && LOOKUPS.contains(&name)
            && let [_, subject, keys @ ..] = command.words.as_slice()
            && let Some(path) = self.lookup(dot, subject, keys)
        {
            self.push(path.clone(), command.span(), true);
            return Some(path).filter(|_| name != "hasKey");
        }
        let guard = name.is_some_and(|n| GUARDS.contains(&n));
        self.guarding += usize::from(guard);
        let mut value = None;
        for (i, word) in command.words.iter().enumerate() {
            let path = self.word(dot, word);
            if i == 0 {
                value = path;
            }
        }
        self.guarding -= usize::from(guard);
        value
    }

    /// The path of a lookup with literal keys in something known.
    fn lookup(&mut self, dot: &Path, subject: &'t Expr, keys: &[Expr]) -> Path {
        if keys.is_empty() || !keys.iter().all(|k| matches!(k.kind, ExprKind::Str { .. })) {
            return None;
        }
        // The subject is walked only to find its path; it is reported as part of the lookup.
        let (found, whole) = (self.found.len(), self.whole.len());
        let path = self.word(dot, subject);
        let simple = matches!(subject.kind, ExprKind::Dot | ExprKind::Field(_) | ExprKind::Variable { .. });
        let nested = matches!(subject.kind, ExprKind::Pipe(_));
        self.found.truncate(found);
        self.whole.truncate(whole);
        if !(simple || nested) {
            return None;
        }
        let mut path = path?;
        for key in keys {
            if let ExprKind::Str { value, .. } = &key.kind
                && let Data::Str(text) = &value.data
            {
                path.push(text.to_string());
            }
        }
        Some(path)
    }

    fn word(&mut self, dot: &Path, word: &'t Expr) -> Path {
        let followed = std::mem::take(&mut self.following);
        let path = self.path_of(dot, word);
        let plain = matches!(word.kind, ExprKind::Dot | ExprKind::Field(_) | ExprKind::Variable { .. });
        if let Some(path) =
            path.as_ref().filter(|_| !followed && (plain || matches!(word.kind, ExprKind::Chain { .. })))
        {
            self.whole.push(path.clone());
        }
        path
    }

    fn path_of(&mut self, dot: &Path, word: &'t Expr) -> Path {
        match &word.kind {
            ExprKind::Dot => dot.clone(),
            ExprKind::Field(names) => self.fields(dot.clone(), names, word),
            ExprKind::Variable { name, fields } => {
                let path = self.vars.iter().rev().find(|(n, _)| **n == **name).and_then(|(_, p)| p.clone());
                if fields.is_empty() { path } else { self.fields(path, fields, word) }
            }
            ExprKind::Pipe(pipe) => self.pipe(dot, pipe),
            ExprKind::Chain { base, fields } => {
                let (found, whole) = (self.found.len(), self.whole.len());
                let path = self.word(dot, base);
                if path.is_some() {
                    // `(.a).b` is `.a.b`.
                    self.found.truncate(found);
                    self.whole.truncate(whole);
                }
                self.fields(path, fields, word)
            }
            _ => None,
        }
    }

    fn fields(&mut self, base: Path, names: &[Text], word: &Expr) -> Path {
        let mut path = base?;
        path.extend(names.iter().map(|n| n.to_string()));
        self.push(path.clone(), word.span.clone(), false);
        Some(path)
    }

    fn push(&mut self, path: Vec<String>, span: Range<usize>, guarded: bool) {
        if path.is_empty() {
            return;
        }
        let guarded = guarded || self.guarding > 0 || self.tested.iter().any(|t| t.starts_with(&path));
        self.found.push(Reference { path, span, guarded });
    }
}

/// The function that a command calls.
fn function(command: &Command) -> Option<&str> {
    match command.words.first().map(|w| &w.kind) {
        Some(ExprKind::Function(name)) => Some(name),
        _ => None,
    }
}

fn negated(pipe: &Pipe) -> bool {
    pipe.commands.iter().any(|c| {
        function(c).is_some_and(|f| NEGATIONS.contains(&f))
            || c.words.iter().any(|w| matches!(&w.kind, ExprKind::Pipe(p) if negated(p)))
    })
}
