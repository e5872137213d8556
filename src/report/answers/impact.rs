//! `stacklint impact`: the components that depend on a line or a file. `schemas/impact.json` describes the JSON.

use super::{Place, line_text};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::query::Lines;
use crate::query::impact::{Impact, Impacted, ImpactedLocal, Loss, Overridden};
use crate::report::RenderOptions;
use crate::report::indented_json;
use crate::report::text::style::{self, Theme, count, escape};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// The maximum number of lines of one kind in text, unless all are requested.
const MAX_ROWS: usize = 40;
/// The maximum number of paths of one component in text, unless all are requested.
const MAX_PATHS: usize = 4;

/// The question and its answer.
#[derive(Clone, Copy)]
pub(crate) struct Described<'a> {
    /// The file, from the root of the repository.
    pub file: &'a str,
    /// The lines; `None` for the whole file.
    pub lines: Option<Lines>,
    /// What depends on the lines.
    pub impact: &'a Impact,
    /// The files that answers point into.
    pub files: &'a Files,
    /// What would be missing without the file, if the question is about a whole file.
    pub loss: Option<&'a Loss>,
}

#[derive(Serialize)]
struct BrokenJson<'a> {
    file: String,
    line: u32,
    rule: &'a str,
    message: &'a str,
    stacks: Vec<&'a str>,
}

#[derive(Serialize)]
struct AddressJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
}

#[derive(Serialize)]
struct LossJson<'a> {
    breaks: Vec<BrokenJson<'a>>,
    removed: Vec<AddressJson<'a>>,
}

#[derive(Serialize)]
struct Json<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    components: Vec<ComponentJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<ComponentJson<'a>>,
    locals: Vec<LocalJson<'a>>,
    overridden: Vec<OverriddenJson<'a>>,
    importers: Vec<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without: Option<LossJson<'a>>,
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    paths: Vec<&'a str>,
    via: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct LocalJson<'a> {
    #[serde(flatten)]
    place: Place,
    scope: String,
    name: &'a str,
}

#[derive(Serialize)]
struct OverriddenJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    path: &'a str,
    #[serde(flatten)]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Place>,
}

/// The ways in which a component depends, each once, sorted.
fn ways(impacted: &Impacted) -> Vec<&'static str> {
    let ways: std::collections::BTreeSet<_> = impacted.paths.values().copied().collect();
    ways.into_iter().map(crate::query::impact::Via::name).collect()
}

fn component(impacted: &Impacted) -> ComponentJson<'_> {
    let (stack, kind, name) = &impacted.address;
    let paths = impacted.paths.keys().map(String::as_str).collect();
    ComponentJson { stack, r#type: kind, component: name, paths, via: ways(impacted), truncated: impacted.is_cut }
}

impl Described<'_> {
    /// Writes it as JSON, and a line end.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let json = Json {
            file: self.file,
            line: self.lines.map(|l| l.first),
            end_line: self.lines.filter(|l| l.last > l.first).map(|l| l.last),
            components: self.impact.components.iter().map(component).collect(),
            resources: self.impact.resources.iter().map(component).collect(),
            locals: self.impact.locals.iter().map(|l| self.local(l)).collect(),
            overridden: self.impact.overridden.iter().map(|o| self.overridden(o)).collect(),
            importers: self.importers(),
            without: self.loss.map(|loss| self.without(loss)),
        };
        indented_json::write(out, &json)
    }

    fn local<'a>(&self, local: &'a ImpactedLocal) -> LocalJson<'a> {
        LocalJson { place: Place::of(local.origin, self.files), scope: local.level.to_string(), name: &local.name }
    }

    fn overridden<'a>(&self, value: &'a Overridden) -> OverriddenJson<'a> {
        let (stack, kind, component) = &value.address;
        let place = Place::of(value.origin, self.files);
        let by = value.by.map(|by| Place::of(by, self.files));
        OverriddenJson { stack, r#type: kind, component, path: &value.path, place, by }
    }

    fn without<'a>(&self, loss: &'a Loss) -> LossJson<'a> {
        let removed =
            loss.removed.iter().map(|(stack, kind, component)| AddressJson { stack, r#type: kind, component });
        LossJson { breaks: self.breaks(loss), removed: removed.collect() }
    }

    /// Returns what would be broken, sorted by place.
    fn breaks<'a>(&self, loss: &'a Loss) -> Vec<BrokenJson<'a>> {
        let broken = |finding: &'a Diagnostic| {
            let file = self.files.get(finding.primary.file);
            let stacks = finding.stacks.iter().map(|s| &**s).collect();
            let line = file.line(finding.primary.start);
            BrokenJson { file: file.path.to_string(), line, rule: finding.rule.id(), message: &finding.message, stacks }
        };
        let mut found: Vec<BrokenJson<'_>> = loss.breaks.iter().map(broken).collect();
        found.sort_by(|a, b| (&a.file, a.line, a.rule, a.message).cmp(&(&b.file, b.line, b.rule, b.message)));
        found
    }

    fn importers(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.impact.importers.iter().map(|o| Place::of(*o, self.files)).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Writes it for people.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write_text(&self, out: &mut dyn io::Write, options: &RenderOptions) -> io::Result<()> {
        let theme = Theme::new(options.color);
        let place = match self.lines {
            Some(lines) if lines.last > lines.first => format!("{}:{}-{}", self.file, lines.first, lines.last),
            Some(lines) => format!("{}:{}", self.file, lines.first),
            None => self.file.to_owned(),
        };
        let components = &self.impact.components;
        let stacks: std::collections::BTreeSet<_> = components.iter().map(|c| &c.address.0).collect();
        let reach = match components.len() {
            0 => "no component depends on it".to_owned(),
            n => format!("{} in {}", count(n, "component"), count(stacks.len(), "stack")),
        };
        let resources = self.impact.resources.iter().filter(|one| *one.address.1 == *"resource").count();
        let reach = if resources == 0 { reach } else { format!("{reach}, {}", count(resources, "resource")) };
        writeln!(out, "{}  {reach}", theme.place(&escape(&place)))?;
        self.components_text(out, &self.impact.components, theme, options)?;
        self.components_text(out, &self.impact.resources, theme, options)?;
        self.locals_text(out, theme)?;
        self.overridden_text(out, theme, options)?;
        self.importers_text(out, theme, options)?;
        self.loss_text(out, theme, options)
    }

    fn components_text(
        &self,
        out: &mut dyn io::Write,
        rows: &[Impacted],
        theme: Theme,
        options: &RenderOptions,
    ) -> io::Result<()> {
        let shown = if options.all { usize::MAX } else { MAX_ROWS };
        let mut stack = None;
        for impacted in rows.iter().take(shown) {
            let (own, kind, name) = &impacted.address;
            if stack != Some(own) {
                writeln!(out, "\n{}", theme.bold(&escape(own)))?;
                stack = Some(own);
            }
            let via = format!("({}) by {}", escape(kind), ways(impacted).join(", "));
            writeln!(out, "  {} {}", theme.path(&escape(name)), theme.dim(&via))?;
            let most = if options.all { usize::MAX } else { MAX_PATHS };
            for path in impacted.paths.keys().filter(|p| !p.is_empty()).take(most) {
                writeln!(out, "    {}", escape(path))?;
            }
            let more = impacted.paths.len().saturating_sub(most);
            if more > 0 {
                writeln!(out, "    {}", theme.dim(&format!("and {} more", count(more, "value"))))?;
            }
        }
        more(out, theme, rows.len().saturating_sub(shown), "component")
    }

    fn locals_text(&self, out: &mut dyn io::Write, theme: Theme) -> io::Result<()> {
        if !self.impact.locals.is_empty() {
            writeln!(out, "\n{}", theme.bold("Locals"))?;
        }
        for local in &self.impact.locals {
            let place = Place::of(local.origin, self.files);
            let scope = theme.dim(&format!("({})", escape(&local.level.to_string())));
            writeln!(out, "  {} {scope}  {}", theme.path(&escape(&local.name)), place.shown(theme))?;
        }
        Ok(())
    }

    /// Each overridden line once, with the number of components in which it is replaced.
    fn overridden_text(&self, out: &mut dyn io::Write, theme: Theme, options: &RenderOptions) -> io::Result<()> {
        let mut lines: BTreeMap<Place, Vec<&Overridden>> = BTreeMap::new();
        for value in &self.impact.overridden {
            lines.entry(Place::of(value.origin, self.files)).or_default().push(value);
        }
        if !lines.is_empty() {
            writeln!(out, "\n{}", theme.bold("Overridden everywhere"))?;
        }
        let shown = if options.all { usize::MAX } else { MAX_ROWS };
        for (place, values) in lines.iter().take(shown) {
            let by = values[0].by.map(|by| format!(", first by {}", Place::of(by, self.files).shown(theme)));
            let path = escape(&values[0].path);
            let number = count(values.len(), "component");
            writeln!(out, "  {}  {path} in {number}{}", place.shown(theme), by.unwrap_or_default())?;
        }
        more(out, theme, lines.len().saturating_sub(shown), "line")
    }

    fn importers_text(&self, out: &mut dyn io::Write, theme: Theme, options: &RenderOptions) -> io::Result<()> {
        let mut importers: Vec<(Place, String)> = self
            .impact
            .importers
            .iter()
            .map(|o| (Place::of(*o, self.files), line_text(*o, false, self.files, options)))
            .collect();
        importers.sort();
        importers.dedup();
        if !importers.is_empty() {
            writeln!(out, "\n{}", theme.bold("Imported by"))?;
        }
        let shown = if options.all { usize::MAX } else { MAX_ROWS };
        for (place, text) in importers.iter().take(shown) {
            writeln!(out, "  {}  {}", place.shown(theme), style::cut(&escape(text), 80))?;
        }
        more(out, theme, importers.len().saturating_sub(shown), "import")
    }

    fn loss_text(&self, out: &mut dyn io::Write, theme: Theme, options: &RenderOptions) -> io::Result<()> {
        let Some(loss) = self.loss else { return Ok(()) };
        let breaks = self.breaks(loss);
        writeln!(out, "\n{}", theme.bold("Without this file"))?;
        if breaks.is_empty() && loss.removed.is_empty() {
            return writeln!(out, "  everything still resolves, and nothing disappears");
        }
        let shown = if options.all { usize::MAX } else { MAX_ROWS };
        for broken in breaks.iter().take(shown) {
            let place = theme.place(&format!("{}:{}", escape(&broken.file), broken.line));
            writeln!(out, "  {place}  {}", escape(broken.message))?;
        }
        more(out, theme, breaks.len().saturating_sub(shown), "finding")?;
        for (stack, kind, name) in loss.removed.iter().take(shown) {
            let whose = theme.dim(&format!("({}) is gone from", escape(kind)));
            writeln!(out, "  {} {whose} {}", theme.path(&escape(name)), escape(stack))?;
        }
        more(out, theme, loss.removed.len().saturating_sub(shown), "component")
    }
}

fn more(out: &mut dyn io::Write, theme: Theme, number: usize, noun: &str) -> io::Result<()> {
    if number == 0 {
        return Ok(());
    }
    writeln!(out, "  {}", theme.dim(&format!("and {} (--all lists them)", count(number, &format!("more {noun}")))))
}
