//! What differs between two environments, as text, Markdown and JSON.

use super::indented_json::Object;
use super::markdown::{code, sentence};
use super::text::style::{self, Theme, count, escape};
use super::text::value;
use super::{RenderOptions, json::RevisionJson};
use crate::environments::{Difference, EnvironmentDiff, Place, named};
use crate::files::Files;
use crate::review::{CommitInfo, DriftAges, Revision, Since};
use crate::text::Text;
use crate::value::Value;
use crate::value::json::Masked;
use serde::Serialize;
use std::io;

/// The value of the key `schema`.
const SCHEMA: &str = "stacklint/compare/v1";
/// More names than this are counted.
const MAX_NAMES: usize = 4;
/// Columns of one value, and of what is shown in front of the first difference of two long ones.
const VALUE: usize = 44;
const CONTEXT: usize = 10;
/// More components that only one environment has are counted.
const MAX_ONLY: usize = 12;
/// Characters of the id of a commit, and of the first line of its message.
const COMMIT: usize = 10;
const SUBJECT: usize = 60;
/// The most differences of a comment.
const MAX_ITEMS: usize = 100;

/// A comparison of environments to be written.
pub(crate) struct Environments<'a> {
    /// What the user calls the left one and the right one.
    pub names: [&'a str; 2],
    pub revisions: [&'a Revision; 2],
    pub files: &'a Files,
    pub diff: &'a EnvironmentDiff,
    /// Since when everything differs, if that was asked for.
    pub ages: Option<&'a DriftAges>,
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
        let shown = some_of(named.into_iter(), MAX_NAMES * 2);
        let declared = match self.diff.declared {
            0 => String::new(),
            1 => "; 1 difference is declared".to_owned(),
            number => format!("; {number} differences are declared"),
        };
        let made = match self.diff.made {
            0 => String::new(),
            1 => "; 1 value that code makes differs as an input does".to_owned(),
            number => format!("; {number} values that code makes differ as inputs do"),
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
        ) + &made
            + &unknown
    }

    fn unresolved(&self) -> Option<String> {
        let number = self.unresolved.len();
        let verb = if number == 1 { "is" } else { "are" };
        (number > 0).then(|| format!("{} {verb} not resolved: {}", count(number, "part"), listed(self.unresolved)))
    }

    /// The components that only one of them has, with since when; nothing if that was not asked for.
    fn alone_since(&self) -> impl Iterator<Item = (&Place, &Since)> {
        self.ages.into_iter().flat_map(|ages| self.diff.only.iter().flatten().zip(ages.only.iter().flatten()))
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

/// `since 1a2b3c4 of 2026-03-01: raise the size`.
fn since(of: &Since) -> String {
    let named = |commit: &CommitInfo| {
        let id = commit.id.get(..COMMIT).unwrap_or(&commit.id);
        format!("{id} of {}: {}", commit.date, style::cut(&commit.summary, SUBJECT))
    };
    match of {
        Since::Worktree => "not committed".to_owned(),
        Since::Commit(commit) => format!("since {}", named(commit)),
        Since::AtLeast(commit, why) => format!("since {} or earlier ({why})", named(commit)),
    }
}

/// A few names; the rest is counted.
fn listed(names: &[String]) -> String {
    some_of(names.iter().cloned(), MAX_NAMES).join(", ")
}

fn some_of(names: impl ExactSizeIterator<Item = String>, most: usize) -> Vec<String> {
    let rest = names.len().saturating_sub(most);
    names.take(most).chain((rest > 0).then(|| format!("… {rest} more"))).collect()
}

/// `vpc`, `vpc in use1`, or `12 components: a, b, … 10 more`.
fn components(places: &[Place]) -> String {
    let names: Vec<String> = places.iter().map(named).collect();
    match &names[..] {
        [one] => one.clone(),
        several => format!("{}: {}", count(several.len(), "component"), listed(several)),
    }
}

/// Texts that are cut, and begin near the first difference where that would be cut off.
fn shortened(texts: [Option<String>; 2]) -> [Option<String>; 2] {
    let alike = match &texts {
        [Some(left), Some(right)] => left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let is_long = texts.iter().flatten().any(|text| text.chars().nth(VALUE).is_some());
    let left_out = if is_long { alike.saturating_sub(CONTEXT) } else { 0 };
    texts.map(|text| {
        let rest = text?.chars().skip(left_out).collect::<String>();
        let rest = if left_out > 1 { format!("…{rest}") } else { rest };
        Some(style::cut(&rest, VALUE).into_owned())
    })
}

/// The names of components that only one environment has; of many, those with the same two first parts together.
fn grouped(only: &[Place]) -> Vec<String> {
    if only.len() <= MAX_ONLY {
        return only.iter().map(named).collect();
    }
    let mut groups: Vec<(Place, Vec<&Place>)> = Vec::new();
    for one in only {
        let (place, name) = one;
        let group = (Text::clone(place), beginning(name).map_or_else(|| Text::clone(name), Text::from));
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(one),
            None => groups.push((group, vec![one])),
        }
    }
    let shown = groups.into_iter().map(|(group, members)| match &members[..] {
        [one] => named(one),
        several => format!("{} of {}", several.len(), named(&group)),
    });
    some_of(shown.collect::<Vec<_>>().into_iter(), MAX_ONLY)
}

/// The first two parts of a name of more, with their keys: `module.app["a"]`.
fn beginning(name: &str) -> Option<&str> {
    let (mut is_inside, mut dots) = (false, 0);
    for (at, c) in name.char_indices() {
        match c {
            '[' => is_inside = true,
            ']' => is_inside = false,
            '.' if !is_inside => dots += 1,
            _ => {}
        }
        if dots == 2 {
            return Some(&name[..at]);
        }
    }
    None
}

/// Both values in one line.
fn values(one: &Difference, options: &RenderOptions) -> String {
    let text = |side: &Option<Value>| side.as_ref().map(|side| value::inline(side, one.is_secret, options));
    let texts = one.values.each_ref().map(text);
    let shown = if options.all { texts } else { shortened(texts) };
    let [left, right] = shown.map(|side| side.unwrap_or_else(|| "–".to_owned()));
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
        let names = if options.all { only.iter().map(named).collect() } else { grouped(only) };
        lines.push(escape(&format!("only in {side}: {}", names.join(", "))).into_owned());
    }
    for (place, age) in shown.alone_since().take(if options.all { usize::MAX } else { MAX_ONLY }) {
        lines.push(format!("    {}  {}", escape(&named(place)), theme.dim(&escape(&since(age)))));
    }
    if shown.diff.only.iter().any(|only| !only.is_empty()) && !shown.diff.differences.is_empty() {
        lines.push(String::new());
    }
    let mut before: Option<&Difference> = None;
    for (index, one) in shown.diff.differences.iter().enumerate() {
        if before.is_none_or(|before| (&before.path, &before.places) != (&one.path, &one.places)) {
            lines.push(format!("{} of {}", theme.path(&escape(&one.dotted())), escape(&components(&one.places))));
        }
        before = Some(one);
        let mut places: Vec<String> =
            one.values.iter().zip(shown.names).filter_map(|(v, name)| shown.near(v, name)).collect();
        places.dedup();
        let places =
            if places.is_empty() { String::new() } else { format!("  {}", theme.place(&escape(&places.join(" · ")))) };
        lines.push(format!("    {}{places}", values(one, options)));
        let age = shown.ages.map(|ages| since(&ages.differences[index]));
        lines.extend(age.map(|age| format!("    {}", theme.dim(&escape(&age)))));
    }
    if !shown.diff.differences.is_empty() || shown.diff.only.iter().any(|only| !only.is_empty()) {
        lines.push(String::new());
    }
    let mut lines: Vec<String> = lines.iter().flat_map(|line| style::wrap(line, options.width, 4)).collect();
    let room = options.lines.unwrap_or(usize::MAX).saturating_sub(2);
    if lines.len() > room {
        let rest = lines.len() - room;
        lines.truncate(room);
        lines.push(theme.dim(&format!("… and {}, --all shows them", count(rest, "more line"))));
        lines.push(String::new());
    }
    lines.extend(style::wrap(&escape(&shown.closing()), options.width, 4));
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
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
        let names =
            some_of(only.iter().map(|place| code(&named(place))), if options.all { usize::MAX } else { MAX_ITEMS });
        items.push(format!("only in {}: {}", code(side), names.join(", ")));
    }
    items.extend(shown.alone_since().map(|(place, age)| format!("{}: {}", code(&named(place)), sentence(&since(age)))));
    items.extend(shown.diff.differences.iter().enumerate().map(|(index, one)| {
        let age =
            shown.ages.map(|ages| format!(", {}", sentence(&since(&ages.differences[index])))).unwrap_or_default();
        let (path, of) = (code(&one.dotted()), sentence(&components(&one.places)));
        format!("{path} of {of}: {}{age}", code(&values(one, options)))
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
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<SinceJson<'a>>,
}

#[derive(Serialize)]
struct SinceJson<'a> {
    commit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl<'a> SinceJson<'a> {
    fn of(since: &'a Since) -> Self {
        let (commit, reason) = match since {
            Since::Worktree => (None, None),
            Since::Commit(commit) => (Some(commit), None),
            Since::AtLeast(commit, why) => (Some(commit), Some(&**why)),
        };
        SinceJson {
            commit: commit.map(|commit| &*commit.id),
            date: commit.map(|commit| &*commit.date),
            subject: commit.map(|commit| &*commit.summary),
            exact: reason.is_none(),
            reason,
        }
    }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<SinceJson<'a>>,
}

impl<'a> DifferenceJson<'a> {
    fn of(index: usize, shown: &Environments<'a>, options: &RenderOptions) -> Self {
        let one = &shown.diff.differences[index];
        let [left, right] =
            one.values.each_ref().map(|value| value.as_ref().map(|value| Masked(value, options.mask())));
        DifferenceJson {
            path: &one.path,
            kind: one.kind.name(),
            left,
            right,
            version: one.is_version,
            unknown: one.is_unknown,
            components: places_of(&one.places, None),
            places: one.values.each_ref().map(|value| shown.place(value)),
            since: shown.ages.map(|ages| SinceJson::of(&ages.differences[index])),
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
        only: places_of(&shown.diff.only[index], shown.ages.map(|ages| &*ages.only[index])),
    };
    let mut object = Object::begin(out)?;
    object.field("schema", &SCHEMA)?;
    object.field("left", &side(0))?;
    object.field("right", &side(1))?;
    object.field("compared", &shown.diff.compared)?;
    let numbers = 0..shown.diff.differences.len();
    let differences: Vec<DifferenceJson<'_>> = numbers.map(|index| DifferenceJson::of(index, shown, options)).collect();
    object.field("differences", &differences)?;
    object.field("folded", &shown.diff.folded)?;
    object.field("made", &shown.diff.made)?;
    object.field("unknown", &shown.diff.unknown)?;
    object.field("declared", &shown.diff.declared)?;
    let names: Vec<NamedJson<'_>> =
        shown.diff.names.iter().map(|one| NamedJson { by: &one.by, left: &one.left, right: &one.right }).collect();
    object.field("names", &names)?;
    object.field("unresolved", &shown.unresolved)?;
    object.end()
}

fn places_of<'a>(all: &'a [Place], ages: Option<&'a [Since]>) -> Vec<PlaceJson<'a>> {
    let since = |index: usize| ages.map(|ages| SinceJson::of(&ages[index]));
    let one = |(index, (place, component)): (usize, &'a Place)| PlaceJson { place, component, since: since(index) };
    all.iter().enumerate().map(one).collect()
}
