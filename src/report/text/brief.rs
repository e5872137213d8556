//! What an edit does, in one line.

use super::style::{self, Theme, escape};
use super::{addresses, changes, value};
use crate::diff::group::{Effect, Folded, Group};
use crate::diff::{Side, mask};
use crate::files::Files;
use crate::report::Options;
use crate::value::Value;

/// Columns of one value.
const VALUE: usize = 40;

/// `stacks/dev.yaml:6  ~ vars.enabled true → false  in dns of dev`. Both values stay visible.
pub(super) fn line(group: &Group<'_>, files: &Files, options: &Options) -> String {
    // A line of the newer state, if there is one.
    let head = group.causes.iter().find(|c| c.side == Side::Head);
    let place = match head.or(group.causes.first()) {
        Some(cause) => format!("{}:{}", escape(&files.get(cause.file).path), cause.line),
        None => "no edited line found".to_owned(),
    };
    format!("{}  {}", Theme::new(options.color).place(&place), what(group, options))
}

/// What happens, and where.
fn what(group: &Group<'_>, options: &Options) -> String {
    let theme = Theme::new(options.color);
    let reach = match &group.addresses[..] {
        [address] => format!("{} of {}", escape(&address.2), escape(&address.0)),
        several => addresses::totals(several),
    };
    match group.effect {
        Effect::Added => theme.added(&format!("+ {reach} added")),
        Effect::Removed => theme.removed(&format!("- {reach} removed")),
        Effect::Renamed => {
            let first = group.renames.first();
            let names = first.map_or_else(String::new, |r| format!("{} → {}", escape(r.from), escape(r.to)));
            let more = more(group.renames.len());
            theme.changed(&format!("~ renamed: {names}{more}, {reach}"))
        }
        Effect::Modified => {
            let first = group.changes.first().map_or_else(String::new, |change| one(change, options));
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
fn one(change: &Folded<'_>, options: &Options) -> String {
    let theme = Theme::new(options.color);
    let start = format!("{} {}", change.kind.sign(), theme.path(&changes::path(change.path)));
    if changes::is_masked(change, options) {
        return format!("{start} {} (secret, {})", mask::MASK, change.kind.name());
    }
    let [only] = change.variants[..] else {
        return format!("{start} {} different values", change.variants.len());
    };
    let text = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, only.is_secret, options));
    match (text(&only.before), text(&only.after)) {
        (Some(before), Some(after)) => {
            let (before, after) = super::words::focus(&before, &after, VALUE);
            format!("{start} {} → {}", theme.removed(&before), theme.added(&after))
        }
        (Some(before), None) => format!("{start} {}", theme.removed(&style::cut(&before, VALUE))),
        (None, Some(after)) => format!("{start} {}", theme.added(&style::cut(&after, VALUE))),
        (None, None) => start,
    }
}
