//! Values that hold the trace of a missing value.

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::dialects::atmos::locals::blame::occurrences;
use crate::dialects::atmos::locals::observations::{Missing, Records, Trace};
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::traces::trace_in;
use crate::text::Text;
use crate::value::{Origin, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Keys that only some commands of Atmos pass to a component.
const GIVEN: [&str; 10] = [
    "atlantis_project",
    "atmos_cli_config",
    "cli_args",
    "component_type",
    "deps",
    "deps_all",
    "imports",
    "sources",
    "spacelift_stack",
    "tf_cli_vars",
];

/// A missing value, a value that shows it, and the stacks.
type Undefined<'a> = (&'a Missing, &'a Trace, Vec<Text>);

/// Reports traces that nothing else explains: `explained` are places whose references are reported.
pub(super) fn report_traces(manifests: &Manifests<'_>, records: &Records, explained: &BTreeSet<Origin>) {
    let spoiled = spoiled_locals(records);
    let mut groups: BTreeMap<Origin, Vec<&Trace>> = BTreeMap::new();
    for trace in &records.traces {
        if trace.missing.iter().any(|m| m.path.first().is_some_and(|first| GIVEN.contains(&first.as_str()))) {
            continue;
        }
        if explained.contains(&trace.site) || records.lenient.contains(&trace.site.file) {
            continue;
        }
        // A trace that a local already contains is reported at the local, and at the first one of a chain.
        let cause = trace.inputs.iter().rfind(|o| **o != trace.site && spoiled.contains(o));
        groups.entry(*cause.unwrap_or(&trace.site)).or_default().push(trace);
    }
    for (site, traces) in groups {
        let (named, traces): (Vec<&Trace>, Vec<&Trace>) =
            traces.into_iter().partition(|t| t.site == site && t.missing.iter().any(is_of_component));
        report_undefined(manifests, site, &named);
        if let Some(finding) = trace(site, &traces, records, explained) {
            manifests.recorder.diagnostics.report(finding);
        }
    }
}

/// Reports what texts of a place read of their components that is not there: each path once, with the stacks in which
/// it is missing.
fn report_undefined(manifests: &Manifests<'_>, site: Origin, traces: &[&Trace]) {
    let mut paths: BTreeMap<&[String], Undefined<'_>> = BTreeMap::new();
    for trace in traces {
        for missing in trace.missing.iter().filter(|m| is_of_component(m)) {
            let found = paths.entry(&missing.path).or_insert_with(|| (missing, trace, Vec::new()));
            found.2.push(Text::clone(&trace.stack));
        }
    }
    let files = manifests.reader.files;
    for (path, (missing, trace, stacks)) in paths {
        let dotted = format!(".{}", path.join("."));
        let places = occurrences(files, site, path.get(..=missing.known).unwrap_or(path));
        let primary = match places.first() {
            Some((start, end)) => Label::new(site.file, *start, *end, ""),
            None => Label::at(site, ""),
        };
        let message = format!("`{dotted}` is not set: `{}` is rendered into `{}`", trace.trace, trace.path);
        let mut finding = Diagnostic::new(&rules::UNDEFINED_REFERENCE, message, primary).token(&*dotted);
        finding = match &missing.near {
            Some(near) => {
                let edit = |(start, end)| Edit { file: site.file, start, end, text: near.clone() };
                let edits: Vec<Edit> = places.into_iter().map(edit).collect();
                let title = format!("rename to `{near}`");
                finding.fix = (!edits.is_empty()).then_some(Fix { title, edits, applicability: Applicability::Unsafe });
                finding.help(format!("did you mean `{near}`?"))
            }
            None => finding.help(format!(
                "set it, correct the reference, or give it a default: `{{{{ {dotted} | default \"…\" }}}}`"
            )),
        };
        finding.stacks = stacks;
        manifests.recorder.diagnostics.report(finding);
    }
}

fn trace(site: Origin, traces: &[&Trace], records: &Records, explained: &BTreeSet<Origin>) -> Option<Diagnostic> {
    let first = traces.first()?;
    let message = match site == first.site {
        true => format!("`{}` is rendered into `{}`", first.trace, first.path),
        false => format!("`{}` is rendered into a local that `{}` uses", first.trace, first.path),
    };
    let mut finding = Diagnostic::new(&rules::NO_VALUE_RENDERED, message, Label::at(site, "")).token(&*first.path);
    if site != first.site {
        finding = finding.related(Label::at(first.site, "the local is used here"));
    }
    let missing: BTreeSet<String> =
        traces.iter().flat_map(|t| &t.missing).map(|m| format!(".{}", m.path.join("."))).collect();
    let own = |t: &&&Trace| t.missing.iter().any(|m| is_own_local(site, &m.path, records));
    if traces.iter().any(|t| own(&t)) {
        match records.abandoned.get(&site.file) {
            // The reference at fault is reported, and this is a consequence of it.
            Some((_, Some(cause))) if explained.contains(cause) => return None,
            Some((why, cause)) => {
                finding = finding.note(
                    "the file defines the local, but it could not be rendered with its locals as a whole, and components do not see them",
                );
                if let Some(cause) = cause.filter(|c| *c != site) {
                    finding = finding.related(Label::at(cause, "this cannot be rendered with the file"));
                }
                finding = finding
                    .note(format!("rendering the file fails: {why}"))
                    .help("use different values for references to locals and for references to data of components");
            }
            None if records.unrendered.contains(&site.file) => {
                finding = finding
                    .note("the file defines the local, but it is imported with `skip_templates_processing`")
                    .help("import the file without `skip_templates_processing`");
            }
            None => {}
        }
    } else if let Some(path) = missing.first().filter(|_| missing.len() == 1) {
        finding = finding.note(format!("`{path}` has no value there"));
        finding =
            finding.help(format!("correct the reference, or give it a default: `{{{{ {path} | default \"…\" }}}}`"));
    } else if !missing.is_empty() {
        let list: Vec<String> = missing.iter().map(|p| format!("`{p}`")).collect();
        finding = finding.note(format!("these have no value there: {}", list.join(", ")));
    } else {
        finding = finding.note("the value printed there is null, or its type does not match the format");
    }
    finding.stacks = traces.iter().map(|t| Text::clone(&t.stack)).collect();
    Some(finding)
}

fn is_own_local(site: Origin, path: &[String], records: &Records) -> bool {
    match path {
        [first, name, ..] if first == "locals" => {
            records.locals.get(&site.file).is_some_and(|f| f.defined(name).is_some())
        }
        _ => false,
    }
}

/// Whether what is missing is something of the component itself; what locals need is reported otherwise.
fn is_of_component(missing: &Missing) -> bool {
    missing.path.first().is_some_and(|first| first != "locals")
}

/// Where locals are written whose values hold a trace that is not written there.
fn spoiled_locals(records: &Records) -> BTreeSet<Origin> {
    let mut found = BTreeSet::new();
    for file in records.locals.values() {
        for scope in &file.locals.scopes {
            for entry in scope.own.iter() {
                let written = scope.raw.get(&entry.key).is_some_and(|v| has_trace(v, 0));
                if !written && has_trace(&entry.value, 0) {
                    found.extend(entry.value.prov.origin);
                }
            }
        }
    }
    found
}

fn has_trace(value: &Value, depth: usize) -> bool {
    use crate::value::{Data, Flags};
    if depth > 200 || !value.holds(Flags::RENDERED_NO_VALUE) {
        return false;
    }
    match &value.data {
        Data::Str(text) => trace_in(text).is_some(),
        Data::List(items) => items.iter().any(|v| has_trace(v, depth + 1)),
        Data::Map(map) => map.iter().any(|e| trace_in(&e.key).is_some() || has_trace(&e.value, depth + 1)),
        _ => false,
    }
}
