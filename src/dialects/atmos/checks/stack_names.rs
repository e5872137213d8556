//! Atmos' validation of stack names: they can be computed, and no component of a stack is configured differently by
//! several manifests (`reference: atmos.md` sections 2.3 and 2.4).

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::{Config, not_read};
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::names;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::stack::{Name, Named, ResolvedManifest, StackContext, built_again};
use crate::resolution::{Extent, Gap};
use crate::text::FastMap;
use crate::value::{Data, FileId, Key, Map, Origin, Prov, Value};
use std::collections::{BTreeMap, HashSet};

/// How many differing paths are named.
const NAMED_PATHS: usize = 8;

/// Reports mistakes in the stack names of all manifests; `config` is the place of the configuration.
pub(crate) fn check(stacks: &StackContext<'_>, done: &[&ResolvedManifest], config: FileId) {
    unnamed(stacks, done, config);
    lacking(stacks, done, config);
    duplicates(stacks, done);
}

/// Why stacks may have other names than is meant, though each has one.
pub(crate) fn doubtful_names(config: &Config, done: &[&ResolvedManifest], file: FileId) -> Option<Gap> {
    let reason = if done.iter().any(|d| d.named.iter().any(|n| matches!(n.stack, Name::Unnamed))) {
        unnamed_because(config)
    } else {
        let token = names::unknown_token(config)?;
        format!("`stacks.name_pattern` ({}) has `{token}`, which Atmos ignores", config.name_pattern)
    };
    Some(Gap { extent: Extent::Names, reason, file: Some(file) })
}

/// Why stacks have no names.
fn unnamed_because(config: &Config) -> String {
    let missing = "neither `stacks.name_template` nor `stacks.name_pattern` is set";
    match &config.remote[..] {
        [] => missing.to_owned(),
        remote => format!("{missing} here, and {}", not_read(remote)),
    }
}

/// The configuration names no stacks, but there is a component that needs a stack.
fn unnamed(stacks: &StackContext<'_>, done: &[&ResolvedManifest], config: FileId) {
    if !done.iter().any(|d| d.named.iter().any(|n| matches!(n.stack, Name::Unnamed))) {
        return;
    }
    let site = stacks.config.all.get("stacks").map(|v| v.prov.clone()).unwrap_or_default();
    let message = format!("the configuration does not say how stacks are named: {}", unnamed_because(stacks.config));
    let finding = Diagnostic::new(&rules::INVALID_CONFIG, message, label(&site, config, ""));
    stacks
        .recorder
        .diagnostics
        .report(finding.help("set `name_template: \"{{ .vars.stage }}\"`, or whatever distinguishes your stacks"));
}

/// Parts of the name pattern that have no variable: one finding a manifest, or one for the value that is not text.
fn lacking(stacks: &StackContext<'_>, done: &[&ResolvedManifest], config: FileId) {
    let mut by_value: BTreeMap<(Origin, &'static str), Vec<User<'_>>> = BTreeMap::new();
    let mut by_manifest: BTreeMap<(FileId, &'static str), Vec<User<'_>>> = BTreeMap::new();
    for d in done {
        for named in &d.named {
            let Name::Lacks(part) = named.stack else { continue };
            match named.instead.as_ref().and_then(|v| v.prov.origin) {
                Some(origin) => by_value.entry((origin, part)).or_default().push((d, named)),
                None => by_manifest.entry((d.unit.file, part)).or_default().push((d, named)),
            }
        }
    }
    let pattern = &stacks.config.name_pattern;
    let setting = stacks.config.all.at_path(["stacks", "name_pattern"]).map(|v| v.prov.clone()).unwrap_or_default();
    let finish = |finding: Diagnostic, part: &str| {
        let finding = finding.token(part);
        stacks.recorder.diagnostics.report(match setting.origin {
            Some(origin) => finding.related(Label::at(origin, "the pattern")),
            None => finding.note(format!("the pattern is set in {}", stacks.reader.files.get(config).path)),
        });
    };
    for ((origin, part), users) in by_value {
        finish(no_text(origin, part, &users, pattern), part);
    }
    for ((file, part), users) in by_manifest {
        no_variable(file, part, &users, pattern).into_iter().for_each(|finding| finish(finding, part));
    }
}

/// A component, and the manifest that it comes from.
type User<'a> = (&'a ResolvedManifest, &'a Named);

/// A variable of the name pattern that is not text, or empty.
fn no_text(origin: Origin, part: &str, users: &[User<'_>], pattern: &str) -> Diagnostic {
    let value = users.first().and_then(|(_, n)| n.instead.as_deref());
    let message = match value.map(|v| &v.data) {
        Some(Data::Str(_)) => format!("`{part}` is empty, but `stacks.name_pattern` ({pattern}) needs it"),
        _ => {
            let kind = value.map_or("unknown", Value::a_kind);
            format!("`{part}` must be text, not {kind}, because `stacks.name_pattern` ({pattern}) needs it")
        }
    };
    let mut finding = Diagnostic::new(&rules::STACK_NAME_UNRESOLVED, message, Label::at(origin, ""));
    if value.is_some_and(|v| matches!(v.data, Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Bool(_))) {
        finding = finding.help("put it in quotes");
    }
    let mut manifests: Vec<&ResolvedManifest> = users.iter().map(|(d, _)| *d).collect();
    manifests.dedup_by_key(|d| d.unit.file);
    for d in manifests.iter().filter(|d| d.unit.file != origin.file) {
        finding = finding.related(Label::new(d.unit.file, 0, 0, "this stack would get such a name"));
    }
    finding
}

/// A variable of the name pattern that a manifest does not set; one finding for all components (`users`) that lack it.
fn no_variable(file: FileId, part: &str, users: &[User<'_>], pattern: &str) -> Option<Diagnostic> {
    let (d, first) = users.first()?;
    let more = match users.len() {
        1 => String::new(),
        2 => " and 1 other".to_owned(),
        n => format!(" and {} others", n - 1),
    };
    let message = format!(
        "component `{}`{more} of `{}` has no variable `{part}`, which `stacks.name_pattern` ({pattern}) needs",
        first.name, d.unit.name
    );
    let vars = d.processed.as_ref().and_then(|p| p.merged.get("vars")).and_then(|v| v.prov.origin);
    let primary = match vars.filter(|o| o.file == file) {
        Some(origin) => Label::at(origin, ""),
        None => place(d, &first.kind, &first.name, ""),
    };
    let finding = Diagnostic::new(&rules::STACK_NAME_UNRESOLVED, message, primary);
    Some(finding.help(format!("set `vars.{part}` for the stack")))
}

/// Components that several manifests configure differently for one stack.
fn duplicates(stacks: &StackContext<'_>, done: &[&ResolvedManifest]) {
    let mut all: BTreeMap<(&str, &str, &str), Vec<&ResolvedManifest>> = BTreeMap::new();
    let shared = shared(done);
    for d in done.iter().filter(|_| !shared.is_empty()) {
        for named in &d.named {
            if let Name::Known(stack) = &named.stack
                && shared.contains(&**stack)
            {
                all.entry((stack, &named.kind, &named.name)).or_default().push(d);
            }
        }
    }
    for ((stack, kind, name), manifests) in all.into_iter().filter(|(_, m)| m.len() > 1) {
        let name: Key = name.into();
        let built = manifests.iter().filter_map(|d| {
            let processed = d.processed.as_ref()?;
            let map = built_again(stacks, &d.unit.name, d.unit.file, processed, kind, &name)?;
            Some((*d, map))
        });
        let built: Vec<(&ResolvedManifest, Map)> = built.collect();
        let [(first, map), others @ ..] = built.as_slice() else { continue };
        let differing: Vec<(&ResolvedManifest, Vec<String>)> = others
            .iter()
            .map(|(d, other)| (*d, differences(map, other)))
            .filter(|(_, paths)| !paths.is_empty())
            .collect();
        let Some((second, _)) = differing.first() else { continue };
        let keys: Vec<String> = built.iter().map(|(d, _)| format!("`{}`", d.unit.name)).collect();
        let shown = if stack.is_empty() { "without a name" } else { stack };
        let message = format!("`{name}` of stack `{shown}` is configured differently by {}", and(&keys));
        let mut finding = Diagnostic::new(&rules::DUPLICATE_COMPONENT, message, place(second, kind, &name, ""))
            .refused()
            .token(&*name)
            .address(format!("{stack}/{kind}/{name}"))
            .related(place(first, kind, &name, &format!("`{}` also configures it", first.unit.name)));
        for (d, _) in built.iter().skip(1).filter(|(d, _)| d.unit.file != second.unit.file) {
            let words = format!("`{}` also configures it", d.unit.name);
            finding = finding.related(place(d, kind, &name, &words));
        }
        for (d, paths) in &differing {
            finding = finding.note(format!("`{}` and `{}` differ in {}", first.unit.name, d.unit.name, listed(paths)));
        }
        finding.stacks = vec![stack.into()];
        stacks
            .recorder
            .diagnostics
            .report(finding.help("configure it in one manifest, or give the components different names"));
    }
}

/// The stacks that several manifests define.
fn shared<'a>(done: &[&'a ResolvedManifest]) -> HashSet<&'a str> {
    let (mut first, mut shared): (FastMap<&str, usize>, HashSet<&str>) = Default::default();
    for (number, d) in done.iter().enumerate() {
        let mut last = None;
        for stack in
            d.named.iter().filter_map(|named| if let Name::Known(stack) = &named.stack { Some(stack) } else { None })
        {
            if last.replace(stack) != Some(stack) && *first.entry(stack).or_insert(number) != number {
                shared.insert(stack);
            }
        }
    }
    shared
}

/// The place where a manifest configures a component: the component, or else an import, or else the manifest.
fn place(done: &ResolvedManifest, kind: &str, name: &str, words: &str) -> Label {
    let file = done.unit.file;
    let Some(processed) = &done.processed else { return Label::new(file, 0, 0, words) };
    let components = processed.merged.get("components");
    let component = components.and_then(|c| c.get(kind)).and_then(|all| all.get(name));
    let own = component.and_then(|value| own_origin(value, file));
    let import = || {
        let mut imports = processed.edges.iter().filter(|e| e.file == file);
        imports.next().filter(|_| imports.next().is_none())
    };
    match own.as_ref().or_else(import) {
        Some(origin) => Label::at(*origin, words),
        None => Label::new(file, 0, 0, words),
    }
}

/// The origin of a value in a file, or that of the first value inside of it which was written there.
fn own_origin(value: &Value, file: FileId) -> Option<Origin> {
    let here = |prov: &Prov| prov.origin.filter(|o| o.file == file);
    here(&value.prov).or_else(|| value.as_map()?.iter().find_map(|e| own_origin(&e.value, file)))
}

/// The paths at which two components differ, innermost.
fn differences(a: &Map, b: &Map) -> Vec<String> {
    fn walk(a: &Map, b: &Map, path: &str, out: &mut Vec<String>) {
        let mut keys: Vec<&Key> = a.keys().chain(b.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
            match (a.get(key), b.get(key)) {
                (Some(x), Some(y)) if x == y => {}
                (Some(Value { data: Data::Map(x), .. }), Some(Value { data: Data::Map(y), .. })) => {
                    walk(x, y, &path, out);
                }
                _ => out.push(path),
            }
        }
    }
    let mut out = Vec::new();
    walk(a, b, "", &mut out);
    out
}

fn listed(paths: &[String]) -> String {
    let mut words: Vec<String> = paths.iter().take(NAMED_PATHS).map(|p| format!("`{p}`")).collect();
    if paths.len() > NAMED_PATHS {
        words.push(format!("{} more", paths.len() - NAMED_PATHS));
    }
    and(&words)
}

fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
