//! Problems that prevent the locals of a file from being resolved: reported immediately, or recorded if the reason is
//! known only at the end.

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::{ErrorReported, label};
use crate::dialects::atmos::imports::items;
use crate::dialects::atmos::locals::blame::{culprit, culprit_by_words};
use crate::dialects::atmos::locals::observations::{Reader, Unresolved};
use crate::dialects::atmos::locals::refs;
use crate::dialects::atmos::locals::scopes::FileLocals;
use crate::dialects::atmos::locals::{Problem, Wrong};
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Loaded};
use crate::dialects::atmos::rules;
use crate::template::MissingKey;
use crate::text::Text;
use crate::value::{FileId, Key, Map, Prov, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of files that are examined for what a broken file imports.
const MAX_EXPLORED: usize = 2_000;

/// Reports the problems of the locals of a file, or records them if the reason is known only at the end.
pub(in crate::dialects::atmos) fn local_problems(
    manifests: &Manifests<'_>,
    file: &FileLocals,
    deps: &mut Deps,
) -> ErrorReported {
    for problem in &file.locals.problems {
        match unresolved(manifests, file, problem) {
            Some(found) => {
                // Its imports are not examined any more, but what they define may be what is meant.
                explore(manifests, &file.loaded, &file.raw, deps);
                manifests.recorder.observations.unresolved(found);
            }
            None => {
                manifests.recorder.diagnostics.push(local_problem(manifests, file, problem));
            }
        }
    }
    ErrorReported
}

/// A local that needs what is not there, unless it is another local of its scope.
fn unresolved(manifests: &Manifests<'_>, file: &FileLocals, problem: &Problem) -> Option<Unresolved> {
    let Wrong::Template { name, text, error, .. } = &problem.what else { return None };
    let path = culprit(text.as_str()?, error, &refs::engine(manifests.templates))?;
    if &*path[0] == "locals" && file.raw_scope(problem.kind).has(&path[1])
        || !["locals", "vars", "settings", "env"].contains(&&*path[0])
    {
        return None;
    }
    let message = format!("local `{name}` cannot be resolved: {}", error.message);
    let reader = Reader::Local(Text::clone(name), problem.kind);
    Some(Unresolved { site: text.prov.clone(), file: file.loaded.file, path, reader, error: Some(message) })
}

/// Whether a file fails because of a local that it does not have; that is noted then.
pub(in crate::dialects::atmos) fn blames_local(
    manifests: &Manifests<'_>,
    text: &str,
    message: &str,
    site: &Prov,
    loaded: &Loaded,
) -> bool {
    let Some(path) = culprit_by_words(text, message, &manifests.engine(MissingKey::Error)) else { return false };
    if &*path[0] != "locals" {
        return false;
    }
    let error = Some(message.to_owned());
    manifests.recorder.observations.unresolved(Unresolved {
        site: site.clone(),
        file: loaded.file,
        path,
        reader: Reader::File,
        error,
    });
    true
}

fn local_problem(manifests: &Manifests<'_>, file: &FileLocals, problem: &Problem) -> Diagnostic {
    let at = |prov: &Prov, words: &str| label(prov, file.loaded.file, words);
    let raw = file.raw_scope(problem.kind);
    match &problem.what {
        Wrong::Shape(value) => {
            let section = problem.kind.map_or_else(|| "locals".to_owned(), |k| format!("{k}.locals"));
            let message = format!("`{section}`: locals must be a map, not a {}", value.kind());
            Diagnostic::new(&rules::NON_MAPPING_SECTION, message, at(&value.prov, ""))
                .help("write names and values below it, or remove the section")
        }
        Wrong::Cycle(members) => cycle(members, &raw, &|prov, words| at(prov, words)),
        Wrong::Template { name, text, error, .. } => failed(manifests, file, name, &raw, text, error),
    }
}

/// A local whose template fails for another reason than that something is not there at all.
fn failed(
    manifests: &Manifests<'_>,
    file: &FileLocals,
    name: &Key,
    raw: &Map,
    text: &Value,
    error: &crate::template::Error,
) -> Diagnostic {
    let at = |prov: &Prov, words: &str| label(prov, file.loaded.file, words);
    let engine = refs::engine(manifests.templates);
    let needed = culprit(text.as_str().unwrap_or_default(), error, &engine);
    let needed = needed.filter(|p| &*p[0] == "locals").and_then(|p| raw.entry(&p[1]));
    let Some(needed) = needed else {
        let message = format!("local `{name}` cannot be resolved: {}", error.message);
        return Diagnostic::new(&rules::TEMPLATE_ERROR, message, at(&text.prov, "")).token(&**name);
    };
    let message = format!(
        "local `{name}` needs `{}`, which Atmos resolves later: it does not detect this reference and resolves locals in order of their names",
        needed.key
    );
    Diagnostic::new(&rules::TEMPLATE_ERROR, message, at(&text.prov, ""))
        .related(at(&needed.value.prov, &format!("`{}` is defined here", needed.key)))
        .note("Atmos does not look for references in strings that call functions other than Go's own, such as `upper`")
        .note(format!("Atmos says: {}", error.message))
        .help(format!("give `{}` a name that sorts before `{name}`, or use it without a function first", needed.key))
        .token(&**name)
}

/// Examines the locals and imports of a broken file, as far as possible without rendering it.
pub(super) fn explore(manifests: &Manifests<'_>, loaded: &Arc<Loaded>, raw: &Map, deps: &mut Deps) {
    let mut stack: Vec<(Text, FileId, Map)> = vec![(Text::clone(&loaded.path), loaded.file, raw.clone())];
    let mut seen: BTreeSet<Text> = BTreeSet::from([Text::clone(&loaded.path)]);
    while let Some((path, file, raw)) = stack.pop() {
        manifests.recorder.observations.manifest(&path, file);
        let relative = paths::relative(&path, &manifests.config.stacks).unwrap_or(&path);
        for item in items::read_items(&raw, relative).unwrap_or_default() {
            if item.path.contains("{{") || paths::is_remote(&item.path) {
                continue;
            }
            let pattern = items::pattern(&item.path, &manifests.config.stacks, manifests.reader, deps);
            let found = pattern.and_then(|p| manifests.reader.glob(&p, deps).ok()).unwrap_or_default();
            for to in found {
                manifests.recorder.observations.import(&path, &to, item.site.origin);
                if seen.len() > MAX_EXPLORED || !seen.insert(to.as_str().into()) {
                    continue;
                }
                let Ok(Some(loaded)) = manifests.reader.load(&to, deps) else { continue };
                let Some(raw) = written(manifests, &loaded, deps) else { continue };
                stack.push((to.as_str().into(), loaded.file, raw));
            }
        }
    }
}

/// A file as it is written, its locals noted.
pub(in crate::dialects::atmos) fn written(
    manifests: &Manifests<'_>,
    loaded: &Arc<Loaded>,
    deps: &mut Deps,
) -> Option<Map> {
    let mut included = Deps::default();
    let (delimiter, base, start) =
        (manifests.config.key_delimiter.as_deref(), &manifests.config.base, &manifests.config.start);
    let value: Value = manifests.reader.decode(loaded, delimiter, base, start, &mut included).ok()?;
    deps.add(&included);
    let raw = (**value.as_map()?).clone();
    manifests.locals_of(loaded, &raw, &included);
    Some(raw)
}

fn cycle(members: &[Key], raw: &Map, at: &dyn Fn(&Prov, &str) -> Label) -> Diagnostic {
    let site = |name: &Key| raw.get(name).map_or_else(Prov::default, |v| v.prov.clone());
    let mut words: Vec<&str> = members.iter().map(|k| &**k).collect();
    words.extend(members.first().map(|k| &**k));
    let message = format!("these locals refer to each other: {}", words.join(" → "));
    let first = members.first().map(site).unwrap_or_default();
    let mut sorted = words[1..].to_vec();
    sorted.sort_unstable();
    let mut finding = Diagnostic::new(&rules::LOCAL_CYCLE, message, at(&first, "")).chain().token(sorted.join(" "));
    for (name, next) in members.iter().zip(words.iter().skip(1)) {
        finding = finding.related(at(&site(name), &format!("`{name}` needs `{next}`")));
    }
    finding.help("give one of them a value that does not need another")
}
