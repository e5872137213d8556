//! The effects of an edit, in one line.

use super::style::{self, Theme, escape};
use super::{addresses, changes, value, words};
use crate::diff::group::{Effect, Folded, Group};
use crate::diff::{Cause, Side, mask};
use crate::files::Files;
use crate::report::RenderOptions;
use crate::value::Value;

/// Columns of one value, and fewer where the line would be too long.
const VALUE: usize = 40;
const NARROWER: [usize; 3] = [VALUE, 26, 14];
/// Columns of a place whose start is cut where the line would be too long.
const PLACE: usize = 32;

/// `stacks/dev.yaml:6  ~ vars.enabled true → false  in dns of dev`. Both values stay visible.
pub(super) fn line(group: &Group<'_>, files: &Files, options: &RenderOptions) -> String {
    let theme = Theme::new(options.color);
    let is_gone = cause(group, &group.causes).is_some_and(|c| c.side == Side::Base);
    let removed = if is_gone { theme.dim(" (removed)") } else { String::new() };
    let place = place(group, &group.causes, files);
    let line = |place: &str, value| format!("{}{removed}  {}", theme.place(place), what(group, value, options));
    let fits = |line: &String| style::visible_width(line) <= options.width;
    let narrower = || NARROWER.into_iter().map(|value| line(&place, value));
    let with_end = |value| line(&words::end(&place, PLACE), value);
    narrower()
        .find(fits)
        .or_else(|| NARROWER.into_iter().map(with_end).find(fits))
        .unwrap_or_else(|| line(&place, NARROWER[2]))
}

/// The edited line: one of the newer state, if there is one. What is removed was there because of a line of the older one.
fn cause<'a>(group: &Group<'_>, causes: &'a [Cause]) -> Option<&'a Cause> {
    let side = if group.effect == Effect::Removed { Side::Base } else { Side::Head };
    causes.iter().find(|c| c.side == side).or(causes.first())
}

fn place(group: &Group<'_>, causes: &[Cause], files: &Files) -> String {
    match cause(group, causes) {
        Some(cause) => format!("{}:{}", escape(&files.get(cause.file).path), cause.line),
        None => "no edited line found".to_owned(),
    }
}

/// `dns of dev`, or `3 components in 2 stacks`.
fn reach(group: &Group<'_>) -> String {
    match &group.addresses[..] {
        [address] => format!("{} of {}", escape(&address.2), escape(&address.0)),
        several => addresses::totals(several),
    }
}

/// Describes the change, and where it applies. Values get so many columns.
fn what(group: &Group<'_>, value: usize, options: &RenderOptions) -> String {
    let theme = Theme::new(options.color);
    let reach = reach(group);
    match group.effect {
        Effect::Added => theme.added(&format!("+ {reach} added")),
        Effect::Removed => theme.removed(&format!("- {reach} removed")),
        Effect::Renamed => {
            let first = group.renames.first();
            let names = first.map_or_else(String::new, |r| match r.instances {
                Some(_) => r.text(|name| escape(name).into_owned()),
                None => format!("renamed: {} → {}", escape(r.from), escape(r.to)),
            });
            let more = more(group.renames.len());
            theme.changed(&format!("~ {names}{more}, {reach}"))
        }
        Effect::Modified => {
            let first = group.changes.first().map_or_else(String::new, |change| one(change, value, options));
            format!("{first}{}  {}", more(group.changes.len()), theme.dim(&format!("in {reach}")))
        }
    }
}

fn more(number: usize) -> String {
    match number {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    }
}

/// `~ vars.enabled true → false`.
fn one(change: &Folded<'_>, room: usize, options: &RenderOptions) -> String {
    let theme = Theme::new(options.color);
    let start = format!("{} {}", change.sign(), theme.path(&changes::name(change)));
    if changes::is_masked(change, options) {
        return format!("{start} {} (secret, {})", mask::MASK, change.kind_name());
    }
    let Some(first) = change.variants.first() else { return start };
    let others = match change.variants.len() {
        1 => String::new(),
        n => theme.dim(&format!(" (the first of {n} different values)")),
    };
    let text = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, first.is_secret, options));
    let (before, after) = (text(&first.before), text(&first.after));
    if let Some(text) = changes::once(first, before.as_deref(), after.as_deref()) {
        return format!("{start} {}{}{others}", style::cut(text, room), theme.dim(&changes::remark(first)));
    }
    let values = match (before, after) {
        (Some(before), Some(after)) => {
            let (before, after) = words::focus(&before, &after, room);
            let mark = theme.dim(&changes::remark(first));
            format!("{} → {}{mark}", theme.removed(&before), theme.added(&after))
        }
        (None, Some(after)) if let Some(moved) = change.moved => {
            format!("{}{}", style::cut(&after, room), theme.dim(&format!(" ({})", changes::what_moved(moved))))
        }
        (Some(before), None) => theme.removed(&style::cut(&before, room)),
        (None, Some(after)) => theme.added(&style::cut(&after, room)),
        (None, None) => return start,
    };
    format!("{start} {values}{others}")
}

/// A line for each path that changes, and one for components that come, go or are renamed: `stacks/dev.yaml:6: change: ~
/// vars.enabled true → false in dns of dev`.
pub(in crate::report) fn each(group: &Group<'_>, files: &Files, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let label = theme.changed("change");
    let start = |causes: &[Cause]| format!("{} {label}:", theme.bold(&format!("{}:", place(group, causes, files))));
    if group.effect != Effect::Modified {
        return vec![format!("{} {}", start(&group.causes), what(group, VALUE, options))];
    }
    let reach = reach(group);
    let line = |change: &Folded<'_>| {
        let own = change.variants.first().map(|first| &first.causes[..]).filter(|causes| !causes.is_empty());
        format!("{} {} in {reach}", start(own.unwrap_or(&group.causes)), one(change, VALUE, options))
    };
    group.changes.iter().map(line).collect()
}
