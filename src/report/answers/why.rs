//! `stacklint why`: where a value comes from. `schemas/why.json` describes the JSON.

use super::{Place, line_text, program_line, shown_line};
use crate::diff::{Cause, Side, mask};
use crate::files::Files;
use crate::query::why::{Answer, Role, WhyStep};
use crate::report::RenderOptions;
use crate::report::indented_json;
use crate::report::text::style::{Theme, count, escape};
use crate::report::text::value;
use crate::syntax::secrets::is_in_private_key;
use crate::text::Text;
use crate::value::json::Masked;
use crate::value::{Data, FileId, Origin, Value};
use serde::Serialize;
use std::collections::HashSet;
use std::io;

/// The maximum number of lines in text, unless all are requested.
const MAX_ROWS: usize = 200;

/// The same answer in several stacks.
pub(crate) struct Group {
    /// The stacks, sorted.
    pub stacks: Vec<Text>,
    /// The answer for the first of them.
    pub answer: Answer,
}

/// A value in two states.
pub(crate) struct Difference {
    /// The older value; `None` if it did not exist.
    pub before: Option<Answer>,
    /// The newer value; `None` if it no longer exists.
    pub after: Option<Answer>,
    /// The edited lines that made the difference, sorted by place.
    pub causes: Vec<Cause>,
}

#[derive(Serialize)]
struct CauseJson {
    side: &'static str,
    file: Text,
    line: u32,
    column: u32,
    text: String,
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    base: Option<Json<'a>>,
    head: Option<Json<'a>>,
    changed: bool,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
struct Json<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    path: &'a str,
    value: Masked<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<Text>,
    steps: Vec<StepJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct StepJson<'a> {
    role: &'static str,
    depth: usize,
    path: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Masked<'a>>,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    stacks: &'a [Text],
    #[serde(flatten)]
    answer: Json<'a>,
}

fn json<'a>(answer: &'a Answer, files: &Files, options: &RenderOptions) -> Json<'a> {
    let masked = |value: &'a Value| Masked(value, options.mask());
    let (stack, kind, component) = &answer.address;
    let step = |s: &'a WhyStep| StepJson {
        role: s.role.name(),
        depth: s.depth,
        path: &s.path,
        place: s.origin.map(|o| Place::of(o, files)),
        text: s.origin.map(|o| line_text(o, s.value.as_ref().is_some_and(Value::is_sensitive), files, options)),
        // The elements of a collection have their own steps.
        value: s.value.as_ref().filter(|v| s.path == answer.path || !is_filled(v)).map(masked),
    };
    let steps = answer.steps.iter().map(step).collect();
    let (unknown, truncated) = (answer.reasons(), answer.is_cut);
    Json { stack, r#type: kind, component, path: &answer.path, value: masked(&answer.value), unknown, steps, truncated }
}

fn is_filled(value: &Value) -> bool {
    match &value.data {
        Data::Map(map) => !map.is_empty(),
        Data::List(items) => !items.is_empty(),
        _ => false,
    }
}

/// Writes one answer as JSON, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_json(
    out: &mut dyn io::Write,
    answer: &Answer,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    indented_json::write(out, &json(answer, files, options))
}

/// Writes answers that differ between stacks as JSON, `{"groups": […]}`, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_groups_json(
    out: &mut dyn io::Write,
    groups: &[Group],
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let json = |answer| json(answer, files, options);
    let groups: Vec<_> = groups.iter().map(|g| GroupJson { stacks: &g.stacks, answer: json(&g.answer) }).collect();
    indented_json::write(out, &serde_json::json!({ "groups": groups }))
}

impl Difference {
    /// Whether the value is hidden from output on one of the sides.
    fn is_secret(&self) -> bool {
        [&self.before, &self.after].into_iter().flatten().any(|answer| answer.value.is_sensitive())
    }

    /// The lines where values are written that are secret by their own keys, whatever is beside them there.
    fn secret_lines(&self, files: &Files) -> HashSet<(FileId, u32)> {
        let steps = [&self.before, &self.after].into_iter().flatten().flat_map(|answer| &answer.steps);
        let mut path = ("", false);
        let mut lines = HashSet::new();
        for step in steps {
            if step.role == Role::Value || step.path != path.0 {
                let is_hidden = step.value.as_ref().is_some_and(|value| value.prov.is_masked());
                path = (&step.path, is_hidden || mask::is_secret_pointer(&step.path));
            }
            if let (true, Some(origin)) = (path.1 && matches!(step.role, Role::Value | Role::Reads), step.origin) {
                let file = files.get(origin.file);
                lines.extend((file.line(origin.key)..=file.line(origin.end)).map(|line| (origin.file, line)));
            }
        }
        lines
    }

    fn is_changed(&self) -> bool {
        self.before.as_ref().map(|answer| &answer.value) != self.after.as_ref().map(|answer| &answer.value)
    }
}

/// Writes a difference as JSON, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_difference_json(
    out: &mut dyn io::Write,
    found: &Difference,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let is_secret = found.is_secret();
    let cause = |cause: &Cause| {
        let file = files.get(cause.file);
        let is_hidden = !options.show_secrets && is_in_private_key(&file, cause.line);
        let text = if is_hidden { mask::MASK.to_owned() } else { program_line(&file, cause.line, is_secret, options) };
        let path = Text::clone(&file.path);
        CauseJson { side: cause.side.name(), file: path, line: cause.line, column: cause.column, text }
    };
    let json = DifferenceJson {
        base: found.before.as_ref().map(|answer| json(answer, files, options)),
        head: found.after.as_ref().map(|answer| json(answer, files, options)),
        changed: found.is_changed(),
        causes: found.causes.iter().map(cause).collect(),
    };
    indented_json::write(out, &json)
}

/// Writes a difference for people: the edited lines, then both values with their chains.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_difference_text(
    out: &mut dyn io::Write,
    found: &Difference,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if !found.is_changed() {
        writeln!(out, "The value is the same on both sides.\n")?;
    }
    let is_secret = found.is_secret();
    let secret_lines = found.secret_lines(files);
    for cause in &found.causes {
        let is_secret = is_secret || secret_lines.contains(&(cause.file, cause.line));
        let span = files.get(cause.file).line_span(cause.line);
        let origin = Origin { file: cause.file, key: span.start, start: span.start, end: span.end };
        let text = shown_line(origin, is_secret, files, options);
        let place = Place::of(origin, files).shown(theme);
        let (sign, text) = match cause.side {
            Side::Base => (theme.removed("-"), theme.removed(&text)),
            Side::Head => (theme.added("+"), theme.added(&text)),
        };
        writeln!(out, "{sign} {place}  {text}")?;
    }
    if !found.causes.is_empty() {
        writeln!(out)?;
    }
    for (title, answer) in [("Before", &found.before), ("After", &found.after)] {
        writeln!(out, "{}", theme.bold(title))?;
        match answer {
            Some(answer) => write_text(out, answer, files, options)?,
            None => writeln!(out, "not there")?,
        }
        if title == "Before" {
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes answers that differ between stacks for people.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_groups_text(
    out: &mut dyn io::Write,
    groups: &[Group],
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if let [first, others @ ..] = groups
        && !others.is_empty()
    {
        let different: usize = others.iter().map(|g| g.stacks.len()).sum();
        writeln!(out, "the same in {}, different in {different}", count(first.stacks.len(), "stack"))?;
    }
    for (i, group) in groups.iter().enumerate() {
        if i > 0 || groups.len() > 1 {
            writeln!(out)?;
        }
        if group.stacks.len() > 1 {
            let named: Vec<_> = group.stacks.iter().take(6).map(|s| escape(s)).collect();
            let more = group.stacks.len().saturating_sub(named.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writeln!(out, "{}", theme.dim(&format!("{}{more}", named.join(", "))))?;
        }
        write_text(out, &group.answer, files, options)?;
    }
    Ok(())
}

/// Writes one answer for people.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_text(
    out: &mut dyn io::Write,
    answer: &Answer,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let (stack, kind, name) = &answer.address;
    let whose = format!("{} {} in", theme.bold(&escape(name)), theme.dim(&format!("({})", escape(kind))));
    writeln!(out, "{whose} {}", theme.bold(&escape(stack)))?;
    let secret = mask::is_secret_pointer(&answer.path) || answer.value.is_sensitive();
    if is_filled(&answer.value) {
        writeln!(out, "{}\n", theme.path(&escape(&answer.path)))?;
        table(out, answer, files, options)?;
    } else {
        let value = value::inline(&answer.value, secret, options);
        writeln!(out, "{} = {value}\n", theme.path(&escape(&answer.path)))?;
    }
    for reason in answer.reasons() {
        writeln!(out, "  {}", theme.dim(&format!("unknown: {}", escape(&reason))))?;
    }
    let shown = if options.all { usize::MAX } else { MAX_ROWS };
    // The table has the places of what is in a collection.
    let steps = answer.steps.iter().filter(|s| match s.role {
        Role::Value => !is_filled(&answer.value) || s.path == answer.path && s.origin.is_some(),
        _ => s.path == answer.path,
    });
    let mut left = 0;
    for (i, step) in steps.enumerate() {
        if i >= shown {
            left += 1;
            continue;
        }
        write_step(out, step, secret, files, options)?;
    }
    if left > 0 {
        writeln!(out, "  {}", theme.dim(&format!("and {} (--all lists them)", count(left, "more step"))))?;
    }
    Ok(())
}

fn write_step(
    out: &mut dyn io::Write,
    step: &WhyStep,
    secret: bool,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let label = match step.role {
        Role::Value => "set",
        Role::Reads => "reads",
        Role::Overrides => "overrides",
        Role::Import => "import",
        Role::Base => "base",
        Role::Setting => "setting",
    };
    let indent = "  ".repeat(step.depth.min(20) + 1);
    match step.origin {
        Some(origin) => {
            let place = Place::of(origin, files).shown(theme);
            let text = shown_line(origin, secret, files, options);
            writeln!(out, "{indent}{} {place}  {text}", theme.dim(label))
        }
        None => writeln!(out, "{indent}{} {}", theme.dim(label), theme.dim("by the system, not by a file")),
    }
}

/// The values of a collection with their places.
fn table(out: &mut dyn io::Write, answer: &Answer, files: &Files, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    for line in value::block(&answer.value, mask::is_secret_pointer(&answer.path), options, Some(files)) {
        let place = line.place.map(|place| format!("  {}", theme.dim(&format!("# {place}"))));
        writeln!(out, "  {}{}", line.text, place.unwrap_or_default())?;
    }
    writeln!(out)
}
