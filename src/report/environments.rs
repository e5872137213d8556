//! What differs between two environments, as text, Markdown and JSON.

use super::indented_json::Object;
use super::markdown::{code, sentence};
use super::text::style::{self, Theme, count, escape};
use super::text::value;
use super::{RenderOptions, json::RevisionJson};
use crate::files::Files;
use crate::query::environments::{Difference, EnvironmentDiff, Place};
use crate::review::Revision;
use crate::value::Value;
use crate::value::json::Masked;
use serde::Serialize;
use std::io;

/// The value of the key `schema`.
const SCHEMA: &str = "stacklint/compare/v1";
/// More names than this are counted.
const MAX_NAMES: usize = 4;
/// Columns of one value.
const VALUE: usize = 44;
/// The most differences of a comment.
const MAX_ITEMS: usize = 100;

/// A comparison of environments to be written.
pub(crate) struct Environments<'a> {
    /// What the user calls the left one and the right one.
    pub names: [&'a str; 2],
    pub revisions: [&'a Revision; 2],
    pub files: &'a Files,
    pub diff: &'a EnvironmentDiff,
    /// What could not be resolved.
    pub unresolved: &'a [String],
}

impl Environments<'_> {
    /// `~ staging and prod: 3 differences, 2 components are in one only`.
    fn verdict(&self) -> String {
        let [left, right] = self.names;
        let alone = self.diff.only.iter().map(Vec::len).sum::<usize>();
        let number = self.diff.differences.len();
        let compared = count(self.diff.compared, "component");
        if alone + number == 0 {
            let mark = if self.unresolved.is_empty() { '✓' } else { '!' };
            return format!(
                "{mark} {left} and {right}: {compared} of both, and nothing differs but what follows from names"
            );
        }
        let mut parts = Vec::new();
        parts.extend((number > 0).then(|| format!("{} in {compared}", count(number, "difference"))));
        parts.extend(
            (alone > 0).then(|| {
                format!("{} {} in one only", count(alone, "component"), if alone == 1 { "is" } else { "are" })
            }),
        );
        format!("~ {left} and {right}: {}", parts.join(", "))
    }

    /// What was folded.
    fn closing(&self) -> String {
        let named: Vec<String> =
            self.diff.names.iter().map(|one| format!("{} {} → {}", one.by, one.left, one.right)).collect();
        let mut shown: Vec<String> = named.iter().take(MAX_NAMES * 2).cloned().collect();
        if named.len() > shown.len() {
            shown.push(format!("… {} more", named.len() - shown.len()));
        }
        let declared = match self.diff.declared {
            0 => String::new(),
            1 => "; 1 difference is declared".to_owned(),
            number => format!("; {number} differences are declared"),
        };
        let unknown = match self.diff.unknown {
            0 => String::new(),
            1 => "; 1 value is known only at run time, and is written alike".to_owned(),
            number => format!("; {number} values are known only at run time, and are written alike"),
        };
        let values = count(self.diff.folded, "value");
        format!(
            "{values} follow{} from names: {}{declared}",
            if self.diff.folded == 1 { "s" } else { "" },
            shown.join(", ")
        ) + &unknown
    }

    fn unresolved(&self) -> Option<String> {
        let number = self.unresolved.len();
        let verb = if number == 1 { "is" } else { "are" };
        (number > 0).then(|| format!("{} {verb} not resolved: {}", count(number, "part"), listed(self.unresolved)))
    }

    /// Where a value is written, from the folder of its environment.
    fn near(&self, value: &Option<Value>, name: &str) -> Option<String> {
        let place = self.place(value)?;
        let folder = name.rsplit(':').next().unwrap_or(name).trim_end_matches('/');
        let below = place.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
        Some(below.unwrap_or(place))
    }

    /// `stacks/dev.yaml:7`, where a value is written.
    fn place(&self, value: &Option<Value>) -> Option<String> {
        let origin = value.as_ref()?.prov.origin?;
        let file = self.files.get(origin.file);
        Some(format!("{}:{}", file.path, file.line(origin.start)))
    }
}

/// A few names; the rest is counted.
fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).cloned().collect();
    if names.len() > MAX_NAMES {
        shown.push(format!("… {} more", names.len() - MAX_NAMES));
    }
    shown.join(", ")
}

fn name((place, name): &Place) -> String {
    if place.is_empty() { name.to_string() } else { format!("{name} in {place}") }
}

/// `vpc`, `vpc in use1`, or `12 components: a, b, … 10 more`.
fn components(places: &[Place]) -> String {
    let names: Vec<String> = places.iter().map(name).collect();
    match &names[..] {
        [one] => one.clone(),
        several => format!("{}: {}", count(several.len(), "component"), listed(several)),
    }
}

/// Both values in one line.
fn values(one: &Difference, options: &RenderOptions) -> String {
    let [left, right] = one.values.each_ref().map(|side| match side {
        Some(side) => {
            let text = value::inline(side, one.is_secret, options);
            if options.all { text } else { style::cut(&text, VALUE).into_owned() }
        }
        None => "–".to_owned(),
    });
    let note = if one.is_unknown { " (known only at run time)" } else { "" };
    format!("{left} → {right}{note}")
}

/// Writes a comparison for a terminal.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_text(out: &mut dyn io::Write, shown: &Environments<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let mut lines = vec![theme.bold(&escape(&shown.verdict()))];
    lines.extend(shown.unresolved().map(|line| theme.bold(&escape(&line))));
    lines.push(String::new());
    for (side, only) in shown.names.iter().zip(&shown.diff.only).filter(|(_, only)| !only.is_empty()) {
        let names: Vec<String> = only.iter().map(name).collect();
        lines.push(escape(&format!("only in {side}: {}", names.join(", "))).into_owned());
    }
    if shown.diff.only.iter().any(|only| !only.is_empty()) && !shown.diff.differences.is_empty() {
        lines.push(String::new());
    }
    for one in &shown.diff.differences {
        lines.push(format!("{} of {}", theme.path(&escape(&one.dotted())), escape(&components(&one.places))));
        let mut places: Vec<String> =
            one.values.iter().zip(shown.names).filter_map(|(v, name)| shown.near(v, name)).collect();
        places.dedup();
        let places =
            if places.is_empty() { String::new() } else { format!("  {}", theme.place(&escape(&places.join(" · ")))) };
        lines.push(format!("    {}{places}", values(one, options)));
    }
    if !shown.diff.differences.is_empty() || shown.diff.only.iter().any(|only| !only.is_empty()) {
        lines.push(String::new());
    }
    let room = options.lines.unwrap_or(usize::MAX).saturating_sub(2);
    if lines.len() > room {
        let rest = lines.len() - room;
        lines.truncate(room);
        lines.push(theme.dim(&format!("… and {}, --all shows them", count(rest, "more line"))));
        lines.push(String::new());
    }
    lines.push(escape(&shown.closing()).into_owned());
    for line in lines {
        style::wrap(&line, options.width, 4).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// Writes a comparison as Markdown.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_markdown(
    out: &mut dyn io::Write,
    shown: &Environments<'_>,
    options: &RenderOptions,
) -> io::Result<()> {
    writeln!(out, "### {}\n", sentence(&shown.verdict()))?;
    shown.unresolved().iter().try_for_each(|line| writeln!(out, "> {}\n", sentence(line)))?;
    let mut items = Vec::new();
    for (side, only) in shown.names.iter().zip(&shown.diff.only).filter(|(_, only)| !only.is_empty()) {
        let names: Vec<String> = only.iter().map(|place| code(&name(place))).collect();
        items.push(format!("only in {}: {}", code(side), names.join(", ")));
    }
    items.extend(shown.diff.differences.iter().map(|one| {
        format!("{} of {}: {}", code(&one.dotted()), sentence(&components(&one.places)), code(&values(one, options)))
    }));
    items.iter().take(MAX_ITEMS).try_for_each(|item| writeln!(out, "- {item}"))?;
    if items.len() > MAX_ITEMS {
        writeln!(out, "- … {} more", items.len() - MAX_ITEMS)?;
    }
    writeln!(out, "\n<sub>{} · stacklint {}</sub>", sentence(&shown.closing()), env!("CARGO_PKG_VERSION"))
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    place: &'a str,
    component: &'a str,
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    path: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Masked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<Masked<'a>>,
    version: bool,
    unknown: bool,
    components: Vec<PlaceJson<'a>>,
    places: [Option<String>; 2],
}

impl<'a> DifferenceJson<'a> {
    fn of(one: &'a Difference, shown: &Environments<'_>, options: &RenderOptions) -> Self {
        let [left, right] =
            one.values.each_ref().map(|value| value.as_ref().map(|value| Masked(value, options.mask())));
        DifferenceJson {
            path: &one.path,
            kind: one.kind.name(),
            left,
            right,
            version: one.is_version,
            unknown: one.is_unknown,
            components: places_of(&one.places),
            places: one.values.each_ref().map(|value| shown.place(value)),
        }
    }
}

#[derive(Serialize)]
struct NamedJson<'a> {
    by: &'a str,
    left: &'a str,
    right: &'a str,
}

#[derive(Serialize)]
struct SideJson<'a> {
    name: &'a str,
    revision: RevisionJson,
    only: Vec<PlaceJson<'a>>,
}

/// Writes a comparison as JSON; `schemas/compare.json` describes it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_json(out: &mut dyn io::Write, shown: &Environments<'_>, options: &RenderOptions) -> io::Result<()> {
    let side = |index: usize| SideJson {
        name: shown.names[index],
        revision: RevisionJson::of(shown.revisions[index]),
        only: places_of(&shown.diff.only[index]),
    };
    let difference = |one| DifferenceJson::of(one, shown, options);
    let mut object = Object::begin(out)?;
    object.field("schema", &SCHEMA)?;
    object.field("left", &side(0))?;
    object.field("right", &side(1))?;
    object.field("compared", &shown.diff.compared)?;
    let differences: Vec<DifferenceJson<'_>> = shown.diff.differences.iter().map(difference).collect();
    object.field("differences", &differences)?;
    object.field("folded", &shown.diff.folded)?;
    object.field("unknown", &shown.diff.unknown)?;
    object.field("declared", &shown.diff.declared)?;
    let names: Vec<NamedJson<'_>> =
        shown.diff.names.iter().map(|one| NamedJson { by: &one.by, left: &one.left, right: &one.right }).collect();
    object.field("names", &names)?;
    object.field("unresolved", &shown.unresolved)?;
    object.end()
}

fn places_of(all: &[Place]) -> Vec<PlaceJson<'_>> {
    all.iter().map(|(place, component)| PlaceJson { place, component }).collect()
}
