//! Where a change arrives: components and stacks, those with the same components in one row.

use super::style::{self, Theme};
use crate::diff::ComponentChange;
use crate::diff::group::{Effect, Group, Renamed};
use crate::report::RenderOptions;
use crate::report::headline::MADE;
use crate::resolution::Address;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The maximum number of rows, and of names in one list, unless all are requested.
const MAX_ROWS: usize = 4;
const MAX_NAMES: usize = 8;

/// Writes `in 40 components of 12 stacks` and which they are; `again` if the reader just saw the same ones.
pub(super) fn write(
    out: &mut dyn io::Write,
    addresses: &[Address],
    again: bool,
    several_types: bool,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if let [address] = addresses {
        let name = theme.path(&name(address, several_types));
        let stack = theme.path(&style::escape(&address.0));
        return writeln!(out, "    {} {name} {} {stack}", theme.dim("in"), theme.dim("of"));
    }
    if again && !options.all {
        return writeln!(out, "    {}", theme.dim(&format!("in the same {}", totals(addresses))));
    }
    let total = theme.dim(&format!("in {}", totals(addresses)));
    let folded = folded(addresses, several_types);
    if folded.len() > MAX_ROWS && !options.all {
        let mut stacks: Vec<&str> = addresses.iter().map(|a| &*a.0).collect();
        stacks.sort_unstable();
        stacks.dedup();
        let mut words = vec![format!("{total}{}", theme.dim(":"))];
        words.extend(list(stacks.iter().map(|s| style::escape(s).into_owned()), stacks.len(), options));
        return wrap(out, &words, 4, options);
    }
    if let [(components, stacks)] = &folded[..] {
        let line = format!("    {} {}", theme.dim("in"), row(components, stacks, "of", options).join(" "));
        let lines = style::wrap(&line, options.width, 6);
        if lines.len() <= 2 && components.len().max(stacks.len()) <= MAX_NAMES {
            return lines.iter().try_for_each(|line| writeln!(out, "{line}"));
        }
    }
    writeln!(out, "    {total}")?;
    rows(out, addresses, several_types, options)
}

/// Writes components that are new or gone.
pub(super) fn write_whole(
    out: &mut dyn io::Write,
    group: &Group,
    several_types: bool,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let line = match &group.addresses[..] {
        [address] => {
            format!(
                "component {}: {} of {}",
                group.effect.name(),
                name(address, several_types),
                style::escape(&address.0)
            )
        }
        several => format!("{} {}", totals(several), group.effect.name()),
    };
    match group.effect {
        Effect::Removed => writeln!(out, "  {}", theme.removed(&format!("- {line}")))?,
        _ => writeln!(out, "  {}", theme.added(&format!("+ {line}")))?,
    }
    if group.addresses.len() > 1 { rows(out, &group.addresses, several_types, options) } else { Ok(()) }
}

/// Writes stacks and components that have another name.
pub(super) fn write_renamed(
    out: &mut dyn io::Write,
    group: &Group,
    several_types: bool,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    for renamed in &group.renames {
        let line = format!("~ {}", renamed.text(|name| style::escape(name).into_owned()));
        writeln!(out, "  {}, {}", theme.changed(&line), renamed_totals(renamed))?;
        if renamed.what == "stack" {
            let names = renamed.addresses.iter().map(|address| theme.path(&name(address, several_types)));
            wrap(out, &list(names, renamed.addresses.len(), options), 6, options)?;
        } else if renamed.addresses.len() > 1 {
            rows(out, &renamed.addresses, several_types, options)?;
        }
    }
    Ok(())
}

/// `3 components; 3 states move`, or `in dev; its state moves`.
pub(in crate::report) fn renamed_totals(renamed: &Renamed) -> String {
    let reached = match &renamed.addresses[..] {
        all if renamed.what == "stack" && all.len() == renamed.moved_states => {
            return if all.len() == 1 { "1 state moves".to_owned() } else { format!("{} states move", all.len()) };
        }
        all if renamed.what == "stack" => style::count(all.len(), "component"),
        [only] => format!("in {}", style::escape(&only.0)),
        several => format!("in {}", style::count(stacks(several), "stack")),
    };
    match renamed.moved_states {
        0 if renamed.instances.is_some() => match renamed.is_replaced {
            true => format!("{reached}; destroyed and created unless `moved` says otherwise"),
            false => format!("{reached}; nothing is destroyed"),
        },
        0 if renamed.is_replaced => format!("{reached}; destroyed and created again"),
        0 => format!("{reached}; no state moves"),
        1 if renamed.addresses.len() == 1 => format!("{reached}; its state moves"),
        1 => format!("{reached}; 1 state moves"),
        several => format!("{reached}; {several} states move"),
    }
}

/// How many of what these are: components, or what code makes, by kind.
fn counted(addresses: &[Address]) -> String {
    let of = |kind: &str| addresses.iter().filter(|address| *address.1 == *kind).count();
    let made = MADE.iter().map(|(kind, word)| (of(kind), *word)).filter(|(number, _)| *number > 0);
    let made: Vec<(usize, &str)> = made.collect();
    match made.iter().map(|(number, _)| number).sum::<usize>() {
        all if all == addresses.len() => {
            made.iter().map(|(number, word)| style::count(*number, word)).collect::<Vec<_>>().join(" and ")
        }
        _ => style::count(addresses.len(), "component"),
    }
}

/// Writes what is not known, each component with what its code makes in one row. Several outputs are only counted.
pub(super) fn write_uncertain(out: &mut dyn io::Write, found: &[Address], options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let mut by_owner: BTreeMap<&str, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for address in found {
        let (others, outputs) = by_owner.entry(&address.0).or_default();
        if *address.1 == *"output" { outputs } else { others }.push(name(address, true));
    }
    let mut rows: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    for (owner, (mut names, outputs)) in by_owner {
        match outputs.len() {
            number if number > 1 && !options.all => names.push(style::count(number, "output")),
            _ => names.extend(outputs),
        }
        rows.entry(names).or_default().push(owner);
    }
    let title = theme.bold("Not known, because it reads what changes");
    let shown = if options.all { rows.len() } else { MAX_ROWS };
    if rows.len() == 1 {
        let words = rows.iter().flat_map(|(names, owners)| row(names, owners, "of", options));
        let words: Vec<String> = std::iter::once(format!("{title}:")).chain(words).collect();
        return wrap(out, &words, 0, options);
    }
    writeln!(out, "{title}")?;
    for (names, owners) in rows.iter().take(shown) {
        wrap(out, &row(names, owners, "of", options), 4, options)?;
    }
    if rows.len() > shown {
        let rest = rows.values().skip(shown).map(Vec::len).sum();
        writeln!(out, "    {}", theme.dim(&format!("… and of {}", style::count(rest, "more component"))))?;
    }
    Ok(())
}

/// `40 components of 12 stacks`, `2 resources and 1 output of 3 stacks`, or `3 instances of aws_eip.nat of 1 stack`.
pub(in crate::report) fn totals(addresses: &[Address]) -> String {
    let mut declarations = addresses.iter().map(|address| instance(&address.2).map(|(declaration, _)| declaration));
    let first = declarations.next().flatten().filter(|_| addresses.len() > 1);
    let number = match first.filter(|first| declarations.all(|other| other == Some(*first))) {
        Some(declaration) => format!("{} instances of {}", addresses.len(), style::escape(declaration)),
        None => counted(addresses),
    };
    format!("{number} of {}", style::count(stacks(addresses), "stack"))
}

/// In how many stacks components are.
fn stacks(addresses: &[Address]) -> usize {
    addresses.iter().map(|address| &address.0).collect::<BTreeSet<_>>().len()
}

/// The declaration and the key of a name like `aws_eip.nat["a"]`.
fn instance(name: &str) -> Option<(&str, &str)> {
    name.ends_with(']').then(|| name.rfind('[')).flatten().map(|start| name.split_at(start))
}

/// Writes components and their stacks, those with the same stacks in one row.
pub(super) fn rows(
    out: &mut dyn io::Write,
    addresses: &[Address],
    several_types: bool,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let rows = folded(addresses, several_types);
    let shown = if options.all { rows.len() } else { MAX_ROWS };
    for (components, stacks) in rows.iter().take(shown) {
        wrap(out, &row(components, stacks, "in", options), 6, options)?;
    }
    if rows.len() > shown {
        let rest: usize = rows[shown..].iter().map(|(c, s)| c.len() * s.len()).sum();
        writeln!(out, "      {}", theme.dim(&format!("… and {}", style::count(rest, "more component"))))?;
    }
    Ok(())
}

/// Components and the stacks that all of them are in, as words that a line can break between.
fn row(components: &[String], stacks: &[&str], between: &str, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    // Of more instances of what the one before is an instance of, the keys are enough.
    let name = |(i, component): (usize, &String)| {
        let before = i.checked_sub(1).and_then(|before| instance(&components[before]));
        match before.zip(instance(component)) {
            Some((before, (declaration, key))) if before.0 == declaration => theme.path(key),
            _ => theme.path(component),
        }
    };
    let mut words = list(components.iter().enumerate().map(name), components.len(), options);
    words.push(theme.dim(between));
    words.extend(list(stacks.iter().map(|s| style::escape(s).into_owned()), stacks.len(), options));
    words
}

/// Components that are in the same stacks, with these stacks, the largest rows first.
pub(in crate::report) fn folded(addresses: &[Address], several_types: bool) -> Vec<(Vec<String>, Vec<&str>)> {
    // Stacks of a component first, then the components that have the same stacks.
    let mut by_component: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for address in addresses {
        by_component.entry(name(address, several_types)).or_default().push(&address.0);
    }
    let mut by_stacks: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
    for (component, stacks) in by_component {
        by_stacks.entry(stacks).or_default().push(component);
    }
    let mut rows: Vec<(Vec<String>, Vec<&str>)> = by_stacks.into_iter().map(|(s, c)| (c, s)).collect();
    rows.sort_by(|a, b| (b.0.len() * b.1.len()).cmp(&(a.0.len() * a.1.len())).then_with(|| a.cmp(b)));
    rows
}

/// The names with commas, as words that a line can break between.
fn list(names: impl Iterator<Item = String>, total: usize, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    // A cut that hides a single name saves nothing.
    let shown = if options.all || total <= MAX_NAMES + 1 { total } else { MAX_NAMES };
    let mut words: Vec<String> = names.take(shown).collect();
    let last = words.len().saturating_sub(1);
    for (i, word) in words.iter_mut().enumerate() {
        if i < last || shown < total {
            word.push(',');
        }
    }
    if shown < total {
        words.push(theme.dim(&format!("… {} more", total - shown)));
    }
    words
}

fn wrap(out: &mut dyn io::Write, words: &[String], indent: usize, options: &RenderOptions) -> io::Result<()> {
    let mut used = indent;
    write!(out, "{}", " ".repeat(indent))?;
    for (i, word) in words.iter().enumerate() {
        let width = style::visible_width(word);
        if i > 0 && used + 1 + width > options.width.max(40) {
            write!(out, "\n{}{word}", " ".repeat(indent + 2))?;
            used = indent + 2 + width;
        } else {
            let space = if i > 0 { " " } else { "" };
            write!(out, "{space}{word}")?;
            used += space.len() + width;
        }
    }
    writeln!(out)
}

/// Whether the names of configured components need their types, because there are several, or because they say little alone. Those of
/// what code makes always do.
pub(in crate::report) fn has_several_types(components: &[ComponentChange]) -> bool {
    let mut kinds = components.iter().filter(|component| !component.is_made()).map(|component| &component.kind);
    let is_short = |component: &ComponentChange| {
        let side = component.after.as_ref().or(component.before.as_ref());
        side.is_some_and(|side| side.language.vocabulary.is_named_with_type)
    };
    components.iter().any(is_short) || kinds.next().is_some_and(|first| kinds.any(|kind| kind != first))
}

fn name(address: &Address, several_types: bool) -> String {
    let name = style::escape(&address.2);
    if several_types { format!("{}/{name}", style::escape(&address.1)) } else { name.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(stack: &str, kind: &str, name: &str) -> Address {
        (stack.into(), kind.into(), name.into())
    }

    #[test]
    fn what_code_makes_is_counted_by_kind() {
        let made =
            [address("dev/a", "resource", "x.y"), address("dev/a", "output", "o"), address("dev/b", "output", "o")];
        assert_eq!(totals(&made), "1 resource and 2 outputs of 2 stacks");
        let configured = [address("dev", "helm", "a"), address("dev", "helm", "b")];
        assert_eq!(totals(&configured), "2 components of 1 stack");
        assert_eq!(totals(&[made[0].clone(), configured[0].clone()]), "2 components of 2 stacks");
    }

    #[test]
    fn several_outputs_that_are_not_known_are_counted() {
        let written = |found: &[Address], all| {
            let mut text = Vec::new();
            write_uncertain(&mut text, found, &RenderOptions { all, ..RenderOptions::default() }).unwrap();
            String::from_utf8(text).unwrap()
        };
        let of_a = [address("dev/a", "module", "m"), address("dev/a", "output", "o"), address("dev/a", "output", "p")];
        let title = "Not known, because it reads what changes";
        assert_eq!(written(&of_a, false), format!("{title}: module/m, 2 outputs of dev/a\n"));
        assert_eq!(written(&of_a, true), format!("{title}: module/m, output/o, output/p of dev/a\n"));
        let all = [&of_a[..], &[address("dev/b", "output", "o")]].concat();
        assert_eq!(written(&all, false), format!("{title}\n    module/m, 2 outputs of dev/a\n    output/o of dev/b\n"));
    }
}
