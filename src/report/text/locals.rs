//! Local names that differ.

use super::style::{self, Theme, escape, width};
use super::value;
use crate::diff::locals::LocalChange;
use crate::diff::{ChangeKind, mask};
use crate::report::RenderOptions;
use crate::value::Data;
use std::collections::BTreeSet;
use std::io;

/// The maximum number of locals that are named.
const MAX_LOCALS: usize = 12;

/// Writes the locals that differ, each with its values and how far it reaches.
pub(super) fn write(out: &mut dyn io::Write, locals: &[LocalChange], options: &RenderOptions) -> io::Result<()> {
    if locals.is_empty() {
        return Ok(());
    }
    let theme = Theme::new(options.color);
    let shown = if options.all || locals.len() <= MAX_LOCALS + 1 { locals.len() } else { MAX_LOCALS };
    writeln!(out, "{}", theme.bold("Locals"))?;
    for block in locals[..shown].chunk_by(|a, b| (&a.file, &a.stack, &a.scope) == (&b.file, &b.stack, &b.scope)) {
        let stack = block[0].stack.as_ref().map_or_else(String::new, |stack| format!(" in {}", escape(stack)));
        writeln!(out, "  {} {}", escape(&block[0].file), theme.dim(&format!("{}{stack}", escape(&block[0].scope))))?;
        let column = block.iter().map(|l| width(&escape(&l.name))).filter(|w| *w <= 40).max().unwrap_or(0);
        for local in block {
            let name = escape(&local.name);
            let sign = local.kind.sign().to_string();
            let sign = match local.kind {
                ChangeKind::Added => theme.added(&sign),
                ChangeKind::Removed => theme.removed(&sign),
                ChangeKind::Changed => theme.changed(&sign),
            };
            let pad = " ".repeat(column.saturating_sub(width(&name)));
            writeln!(
                out,
                "    {sign} {}{pad}  {}  {}",
                theme.path(&name),
                values(local, theme, options),
                theme.dim(&reach(local))
            )?;
        }
    }
    if shown < locals.len() {
        writeln!(out, "  {}", theme.dim(&format!("… {}", style::count(locals.len() - shown, "more local"))))?;
    }
    writeln!(out)
}

fn values(local: &LocalChange, theme: Theme, options: &RenderOptions) -> String {
    let pointer = format!("/{}", local.name.replace('~', "~0").replace('/', "~1"));
    let is_secret = mask::is_secret_pointer(&pointer);
    let room = if options.all { usize::MAX } else { (options.width / 3).max(20) };
    let text = |v: &crate::value::Value| style::cut(&value::inline(v, false, options), room).into_owned();
    let is_hidden = |v: &Option<crate::value::Value>| {
        v.as_ref().is_some_and(|v| match &v.data {
            Data::Map(_) | Data::List(_) => is_secret || v.prov.is_masked(),
            _ => value::is_hidden(v, is_secret),
        })
    };
    if !options.show_secrets && (is_hidden(&local.before) || is_hidden(&local.after)) {
        return mask::MASK.to_owned();
    }
    match (&local.before, &local.after) {
        (Some(a), Some(b)) if value::inline(a, false, options) == value::inline(b, false, options) => {
            format!("{}{}", text(a), theme.dim(" (what it is computed from differs)"))
        }
        (Some(a), Some(b)) => format!("{} {} {}", theme.removed(&text(a)), theme.dim("→"), theme.added(&text(b))),
        (Some(a), None) => theme.removed(&text(a)),
        (None, Some(b)) => theme.added(&text(b)),
        (None, None) => String::new(),
    }
}

/// `reaches 4 values in 2 components`, `read by code`, or `reaches nothing`.
fn reach(local: &LocalChange) -> String {
    let components: BTreeSet<_> = local.reached.iter().map(|(address, _)| address).collect();
    match local.reached.len() {
        0 if local.is_read_by_code => "read by code".to_owned(),
        0 => "reaches nothing".to_owned(),
        n => format!("reaches {} in {}", style::count(n, "value"), style::count(components.len(), "component")),
    }
}
