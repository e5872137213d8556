//! The local names of a stack's file: in the shape that the deployment tool prints them, and with where each comes from.

use super::RenderOptions;
use super::text::style::{Theme, escape, width};
use super::text::value;
use crate::diff::mask;
use crate::files::Files;
use crate::report::indented_json;
use crate::resolution::{Dependency, Local, LocalLevel, LocalScope};
use crate::text::Text;
use crate::value::{Data, Map, Origin, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The locals to describe: the scopes of one file, and optionally one component that is defined on top of them.
pub(crate) struct Described<'a> {
    /// The stack, as the user named it.
    pub stack: &'a str,
    /// The scopes of the file and of component types, not of components.
    pub scopes: Vec<&'a LocalScope>,
    /// The component, if one is selected.
    pub component: Option<Owner<'a>>,
}

/// A component with local names.
pub(crate) struct Owner<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    /// Its own locals, before templates are rendered; a map if there are any.
    pub locals: Option<&'a Value>,
    /// The same after that.
    pub rendered: Option<&'a Value>,
}

impl Described<'_> {
    /// Returns the answer of the deployment tool (`reference`, describe locals): names by scope, where a component type
    /// lists only names that differ from the file; or all names that a component sees, under its type and name. `None`
    /// if there are none at all.
    pub(crate) fn answer(&self) -> Option<Value> {
        let printed = |l: &Local| Some((Text::clone(&l.name), l.printed.clone().or_else(|| l.value.clone())?));
        let of = |level: &LocalLevel| -> Option<Map> {
            let scope = self.scopes.iter().find(|s| s.level == *level)?;
            Some(scope.locals.iter().filter_map(printed).collect())
        };
        let global = of(&LocalLevel::File).unwrap_or_default();
        let kinds = self.scopes.iter().filter_map(|s| match &s.level {
            LocalLevel::Kind(kind) => Some((Text::clone(kind), of(&s.level)?)),
            _ => None,
        });
        let mut out = Map::new();
        let section = |locals: Map| Value::map(Map::from_iter([("locals".into(), Value::map(locals))]));
        for (kind, own) in kinds.filter(|(_, own)| !own.is_empty() || !global.is_empty()) {
            let differs = |e: &&crate::value::Entry| global.get(&e.key) != Some(&e.value);
            let own = own.iter().filter(differs).map(|e| (Text::clone(&e.key), e.value.clone())).collect();
            out.set(kind, section(own));
        }
        if !global.is_empty() {
            out.set("locals", Value::map(global));
        }
        let Some(owner) = &self.component else { return (!out.is_empty()).then(|| Value::map(out)) };
        let layers = [out.get("locals"), out.get(owner.kind).and_then(|s| s.get("locals")), owner.locals];
        if layers.iter().flatten().all(|l| l.as_map().is_none_or(|m| m.is_empty())) && out.is_empty() {
            return None;
        }
        let empty = Value::map(Map::new());
        let merged = layers.into_iter().flatten().fold(empty, |below, above| overlay(&below, above, 0));
        let nest = |key: &str, value: Value| Value::map(Map::from_iter([(key.into(), value)]));
        let named = nest(owner.name, nest("locals", merged));
        Some(nest("components", nest(owner.kind, named)))
    }

    /// The same with where each name comes from.
    pub(crate) fn provenance(&self, files: &Files) -> Provenance {
        let users = users(&self.scopes);
        let mut scopes: Vec<ScopeReport> = self.scopes.iter().map(|s| scope_report(s, &users, files)).collect();
        if let Some(scope) = self.component.as_ref().and_then(|o| self.owner_report(o, files)) {
            scopes.push(scope);
        }
        // Merges the scopes as templates of the file see them: one map, in which every scope of a type includes the
        // names of the file, so that a later type hides names of an earlier one (`reference`, extraction of locals).
        let mut merged: BTreeMap<String, Merged> = BTreeMap::new();
        let global = scopes.iter().find(|s| s.scope == "global");
        for scope in &scopes {
            let again = global.filter(|g| scope.scope != "component" && g.scope != scope.scope);
            for (name, local, from) in again.into_iter().chain([scope]).flat_map(ScopeReport::each) {
                let value = match merged.get(name).filter(|_| scope.scope == "component") {
                    Some(below) => overlay(&below.value, &local.value, 0),
                    None => local.value.clone(),
                };
                let (file, line) = (Text::clone(&local.file), local.line);
                merged.insert(name.clone(), Merged { value, scope: from.to_owned(), file, line });
            }
        }
        let file = self.scopes.first().map(|s| Text::clone(&files.get(s.file).path));
        let component = self.component.as_ref();
        Provenance {
            stack: self.stack.to_owned(),
            file,
            component: component.map(|o| o.name.to_owned()),
            component_type: component.map(|o| o.kind.to_owned()),
            scopes,
            merged,
        }
    }

    fn owner_report(&self, owner: &Owner<'_>, files: &Files) -> Option<ScopeReport> {
        let own = owner.locals?.as_map()?;
        let values = own.iter().map(|e| {
            let rendered = owner.rendered.and_then(|v| v.get(&e.key)).unwrap_or(&e.value);
            let outer = self.scopes.iter().rev().find(|s| match &s.level {
                LocalLevel::File => true,
                LocalLevel::Kind(kind) => **kind == *owner.kind,
                LocalLevel::Component(..) => false,
            } && s.locals.iter().any(|l| l.name == e.key));
            let shadows = outer.and_then(|s| s.locals.iter().find(|l| l.name == e.key)).and_then(|l| l.origin);
            (e.key.to_string(), local_report(Some(rendered), e.value.prov.origin, &[], Vec::new(), shadows, files))
        });
        Some(ScopeReport { scope: "component".to_owned(), values: values.collect() })
    }
}

/// Maps are united key by key, anything else is replaced.
fn overlay(below: &Value, above: &Value, depth: usize) -> Value {
    let (Some(a), Some(b)) = (below.as_map(), above.as_map()) else { return above.clone() };
    if depth > 200 {
        return above.clone();
    }
    let mut out = (**a).clone();
    for entry in b.iter() {
        let value = match a.get(&entry.key) {
            Some(below) => overlay(below, &entry.value, depth + 1),
            None => entry.value.clone(),
        };
        out.set(Text::clone(&entry.key), value);
    }
    Value { data: Data::Map(Arc::new(out)), prov: above.prov.clone() }
}

/// Local names with their history; what `--provenance` prints.
#[derive(Serialize)]
pub(crate) struct Provenance {
    stack: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component_type: Option<String>,
    scopes: Vec<ScopeReport>,
    merged: BTreeMap<String, Merged>,
}

#[derive(Serialize)]
struct ScopeReport {
    scope: String,
    values: BTreeMap<String, LocalReport>,
}

impl ScopeReport {
    fn each(&self) -> impl Iterator<Item = (&String, &LocalReport, &str)> {
        self.values.iter().map(|(name, local)| (name, local, &*self.scope))
    }
}

#[derive(Serialize)]
struct LocalReport {
    value: Value,
    /// The reasons why the value is unknown, if it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<Text>,
    file: Text,
    line: u32,
    /// As it is written.
    text: String,
    depends_on: Vec<Place>,
    used_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shadows: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
struct Merged {
    value: Value,
    scope: String,
    file: Text,
    line: u32,
}

/// By place: the locals that read what is written there, those of other scopes with their scope.
type Users = BTreeMap<Origin, Vec<(LocalLevel, Text)>>;

fn users(scopes: &[&LocalScope]) -> Users {
    let mut users = Users::new();
    for scope in scopes {
        for local in &scope.locals {
            for origin in local.depends_on.iter().filter_map(|d| d.origin) {
                users.entry(origin).or_default().push((scope.level.clone(), Text::clone(&local.name)));
            }
        }
    }
    users
}

fn scope_report(scope: &LocalScope, users: &Users, files: &Files) -> ScopeReport {
    let one = |l: &Local| {
        let used_by = l.origin.and_then(|o| users.get(&o)).into_iter().flatten();
        let used_by = used_by.map(|(level, name)| match *level == scope.level {
            true => name.to_string(),
            false => format!("{level}.{name}"),
        });
        let used_by = used_by.collect();
        (l.name.to_string(), local_report(l.value.as_ref(), l.origin, &l.depends_on, used_by, l.shadows, files))
    };
    ScopeReport { scope: scope.level.to_string(), values: scope.locals.iter().map(one).collect() }
}

fn local_report(
    value: Option<&Value>,
    origin: Option<Origin>,
    depends_on: &[Dependency],
    used_by: Vec<String>,
    shadows: Option<Origin>,
    files: &Files,
) -> LocalReport {
    let place = |path: Option<&str>, origin: Option<Origin>| {
        let file = origin.map(|o| files.get(o.file));
        Place {
            path: path.map(str::to_owned),
            line: file.as_ref().zip(origin).map(|(f, o)| f.line(o.key)),
            file: file.map(|f| Text::clone(&f.path)),
        }
    };
    let own = place(None, origin);
    let text = origin.and_then(|o| Some(files.get(o.file).text.get(o.start as usize..o.end as usize)?.to_owned()));
    let mut unknown = Vec::new();
    match value {
        Some(value) => reasons(value, &mut unknown, 0),
        None => unknown.push(Text::from("it cannot be resolved")),
    }
    LocalReport {
        value: value.map(|value| mask::masked(value, files)).unwrap_or_default(),
        unknown,
        file: own.file.unwrap_or_else(|| Text::from("")),
        line: own.line.unwrap_or(1),
        text: text.unwrap_or_default(),
        depends_on: depends_on.iter().map(|d| place(Some(&d.path), d.origin)).collect(),
        used_by,
        shadows: shadows.map(|o| place(None, Some(o))),
    }
}

/// Why parts of a value are unknown, each reason once.
fn reasons(value: &Value, out: &mut Vec<Text>, depth: usize) {
    if depth > 200 {
        return;
    }
    match &value.data {
        Data::Unknown(unknown) => {
            for reason in &unknown.reasons {
                if !out.contains(reason) {
                    out.push(Text::clone(reason));
                }
            }
        }
        Data::List(items) => items.iter().for_each(|v| reasons(v, out, depth + 1)),
        Data::Map(map) if map.flags().has(crate::value::Flags::UNKNOWN) => {
            map.iter().for_each(|e| reasons(&e.value, out, depth + 1));
        }
        _ => {}
    }
}

impl Provenance {
    /// Writes it as JSON, and a line end.
    pub(crate) fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        indented_json::write(out, self)
    }

    pub(crate) fn write_yaml(&self, out: &mut dyn io::Write) -> io::Result<()> {
        yaml_serde::to_writer(out, self).map_err(io::Error::other)
    }

    /// Writes the locals as text: names by scope with their values and places; `full` adds the original text, what it
    /// depends on, what uses it and what it hides, and all scopes merged.
    pub(crate) fn write_text(&self, out: &mut dyn io::Write, full: bool, options: &RenderOptions) -> io::Result<()> {
        let theme = Theme::new(options.color);
        let whose = match (&self.component, &self.component_type) {
            (Some(name), Some(kind)) => {
                format!("{} {} in ", theme.bold(&escape(name)), theme.dim(&format!("({})", escape(kind))))
            }
            _ => String::new(),
        };
        writeln!(out, "Locals of {whose}{}", theme.bold(&escape(&self.stack)))?;
        for scope in self.scopes.iter().filter(|s| !s.values.is_empty()) {
            writeln!(out, "\n{}", theme.bold(&escape(&scope.scope)))?;
            let rows = scope.values.iter().map(|(name, l)| (name, shown(name, l, options), at(&l.file, l.line)));
            for ((name, value, place), local) in column(rows).zip(scope.values.values()) {
                writeln!(out, "  {}{value}  {}", theme.path(&name), theme.dim(&format!("# {place}")))?;
                if full {
                    details(out, local, name.trim_end(), theme, options)?;
                } else if !local.unknown.is_empty() {
                    writeln!(out, "    {}", theme.dim(&format!("unknown: {}", escape(&local.unknown.join("; ")))))?;
                }
            }
        }
        if full {
            writeln!(out, "\n{}", theme.bold("merged"))?;
            let rows = self.merged.iter().map(|(name, m)| {
                let value = value::inline(&m.value, is_secret(name), options);
                (name, value, format!("{}, {}", escape(&m.scope), at(&m.file, m.line)))
            });
            for (name, value, place) in column(rows) {
                writeln!(out, "  {}{value}  {}", theme.path(&name), theme.dim(&format!("# {place}")))?;
            }
        }
        Ok(())
    }
}

fn at(file: &str, line: u32) -> String {
    format!("{}:{line}", escape(file))
}

fn is_secret(name: &str) -> bool {
    mask::is_secret_pointer(&format!("/{}", name.replace('~', "~0").replace('/', "~1")))
}

fn shown(name: &str, local: &LocalReport, options: &RenderOptions) -> String {
    value::inline(&local.value, is_secret(name), options)
}

/// Names and values padded to columns.
fn column<'a>(
    rows: impl Iterator<Item = (&'a String, String, String)>,
) -> impl Iterator<Item = (String, String, String)> {
    let rows: Vec<(String, String, String)> = rows.map(|(n, v, p)| (escape(n).into_owned(), v, p)).collect();
    let most =
        |widths: &mut dyn Iterator<Item = usize>, limit: usize| widths.filter(|w| *w <= limit).max().unwrap_or(0);
    let names = most(&mut rows.iter().map(|r| width(&r.0)), 40);
    let values = most(&mut rows.iter().map(|r| width(&r.1)), 60);
    let pad = |text: String, to: usize| {
        let missing = to.saturating_sub(width(&text));
        text + &" ".repeat(missing)
    };
    rows.into_iter().map(move |(n, v, p)| (pad(n, names) + "  ", pad(v, values), p))
}

fn details(
    out: &mut dyn io::Write,
    local: &LocalReport,
    name: &str,
    theme: Theme,
    options: &RenderOptions,
) -> io::Result<()> {
    let mut line = |what: &str, text: &str| writeln!(out, "      {} {text}", theme.dim(&format!("{what:<10}")));
    if local.text.contains("{{") || local.text.starts_with('!') {
        let first = local.text.lines().next().unwrap_or_default();
        let text = if is_secret(name) && !options.show_secrets { mask::MASK.into() } else { escape(first) };
        line("text", &text)?;
    }
    let place = |p: &Place| {
        let line = p.line.map(|l| format!(" (line {l})"));
        format!("{}{}", escape(p.path.as_deref().unwrap_or_default()), line.unwrap_or_default())
    };
    if !local.depends_on.is_empty() {
        line("depends on", &local.depends_on.iter().map(place).collect::<Vec<_>>().join(", "))?;
    }
    if !local.used_by.is_empty() {
        line("used by", &escape(&local.used_by.join(", ")))?;
    }
    if let Some(Place { file: Some(file), line: Some(number), .. }) = &local.shadows {
        line("hides", &at(file, *number))?;
    }
    if !local.unknown.is_empty() {
        line("unknown", &escape(&local.unknown.join("; ")))?;
    }
    Ok(())
}
