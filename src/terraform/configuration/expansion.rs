//! The instances that `count`, `for_each` and `enabled` make of a block.

use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Entries, Marks, Val};
use crate::resolution::Repetition;
use crate::terraform::configuration::frame::{At, Evaluation};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::Origin;
use go_compat::strconv::is_print;

/// The key in the address of instances that are not known.
pub(super) const OPEN: &str = "[*]";

/// The argument that gives each instance a key.
pub(super) const FOR_EACH: &str = "for_each";

/// The most instances of one block. Of more nothing is computed.
const MAX_INSTANCES: usize = 10_000;

/// The key of an instance, with what `each` and `count` are in it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Repeat {
    /// The block is not repeated.
    #[default]
    None,
    /// An index.
    Count(usize),
    /// A key with its value.
    Each(Text, Val),
    /// An index with its value: imports are repeated by tuples as well.
    Item(usize, Val),
    /// All instances of a `count` that is not known, and why.
    AnyCount(Text),
    /// All instances of a `for_each` that is not known, and why.
    AnyEach(Text),
}

impl Repeat {
    /// Any instance of a resource or of a module call.
    pub(super) fn any(declared: &Declared) -> Self {
        match repeated(declared) {
            Some(("count", _)) => Repeat::AnyCount("any instance".into()),
            Some((FOR_EACH, _)) => Repeat::AnyEach("any instance".into()),
            _ => Repeat::None,
        }
    }

    /// Whether it is an instance that is certainly there.
    pub(crate) fn is_certain(&self) -> bool {
        !matches!(self, Repeat::AnyCount(_) | Repeat::AnyEach(_))
    }

    /// What it is made of.
    pub(crate) fn origins(&self) -> Vec<Origin> {
        let mut found = Vec::new();
        if let Repeat::Each(_, value) | Repeat::Item(_, value) = self {
            value.prov.for_each_input(&mut |origin| found.push(origin));
        }
        found
    }

    /// What repeats a block, with the key of this instance.
    pub(crate) fn of(&self, repetition: &Repetition) -> Repetition {
        Repetition { key: self.suffix().into(), is_open: !self.is_certain(), ..repetition.clone() }
    }

    /// The key as addresses have it: `["a"]`.
    pub(crate) fn suffix(&self) -> String {
        match self {
            Repeat::None => String::new(),
            Repeat::Count(index) | Repeat::Item(index, _) => format!("[{index}]"),
            Repeat::Each(key, _) => format!("[\"{}\"]", quoted(key)),
            Repeat::AnyCount(_) | Repeat::AnyEach(_) => OPEN.to_owned(),
        }
    }
}

/// A key inside of quotes.
pub(super) fn quoted(key: &str) -> String {
    let mut out = String::new();
    for (index, c) in key.char_indices() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' | '%' if key[index + 1..].starts_with('{') => out.extend([c, c]),
            c if is_print(c) => out.push(c),
            c if u32::from(c) <= 0xffff => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out
}

/// The instances of a block.
#[derive(Clone, Debug)]
pub(crate) enum Instances {
    /// One without a key.
    Single,
    /// None, and the block is null.
    Disabled,
    /// As many.
    Counted(usize),
    /// One for each key.
    Keyed(Vec<(Text, Val)>),
    /// It is not known which: all of them as one.
    Unknown(Repeat),
    /// A mistake keeps them from being known, which is reported.
    Failed,
}

impl Instances {
    /// The keys. Instances that are not known are one.
    pub(crate) fn repeats(&self) -> Vec<Repeat> {
        match self {
            Instances::Single => vec![Repeat::None],
            Instances::Disabled | Instances::Failed => Vec::new(),
            Instances::Counted(count) => (0..*count).map(Repeat::Count).collect(),
            Instances::Keyed(keys) => keys.iter().map(|(k, v)| Repeat::Each(k.clone(), v.clone())).collect(),
            Instances::Unknown(all) => vec![all.clone()],
        }
    }

    /// The keys that are evaluated: behind a mistake, which is reported, any instance may be there.
    pub(crate) fn evaluated(&self, declared: &Declared) -> Vec<Repeat> {
        match (self, Repeat::any(declared)) {
            (Instances::Failed, Repeat::None) => vec![Repeat::AnyCount("any instance".into())],
            (Instances::Failed, any) => vec![any],
            _ => self.repeats(),
        }
    }

    /// The same as if it were not known which ones there are.
    pub(crate) fn hidden(self, reason: Text) -> Self {
        match self {
            Instances::Keyed(_) => Instances::Unknown(Repeat::AnyEach(reason)),
            _ => Instances::Unknown(Repeat::AnyCount(reason)),
        }
    }

    /// The value of the block, from those of its instances.
    pub(crate) fn whole(&self, mut values: Vec<Val>) -> Val {
        match self {
            Instances::Single => values.pop().unwrap_or_default(),
            Instances::Disabled => Val::null(),
            Instances::Counted(_) => Val::tuple(values),
            Instances::Keyed(keys) => {
                let entries: Entries = keys.iter().map(|(key, _)| key.clone()).zip(values).collect();
                Val::object(entries)
            }
            Instances::Unknown(Repeat::AnyCount(reason) | Repeat::AnyEach(reason)) => {
                Val::unknown(Type::Dynamic, reason.clone())
            }
            Instances::Unknown(_) | Instances::Failed => Val::failed(),
        }
    }
}

/// Why a value cannot be iterated, and whether marks are the reason.
pub(crate) fn for_each_problems(value: &Val) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
        if value.marks.has(mark) {
            found.push((true, format!("invalid for_each argument: {word} values cannot be used as keys of instances")));
        }
    }
    let unsuitable = |why: String| (false, format!("invalid for_each argument: {why}"));
    match &value.data {
        Data::Unknown(Type::Dynamic | Type::Map(_) | Type::Object(_), _) => {}
        Data::Unknown(Type::Set(ty), _) if matches!(**ty, Type::Str | Type::Dynamic) => {}
        Data::Map(..) | Data::Object(_) | Data::Partial(..) => {}
        Data::Null(_) => found.push(unsuitable("the value is null".to_owned())),
        Data::Set(_, items) if items.iter().any(Val::is_null) => {
            found.push(unsuitable("sets must not contain null values".to_owned()));
        }
        Data::Set(Type::Str | Type::Dynamic, _) => {}
        Data::Set(_, items) if items.is_empty() => {}
        Data::Set(ty, _) => found.push(unsuitable(format!("it supports sets of strings, not a set of {}", ty.name()))),
        _ => {
            let kind = Type::of(value).short_name();
            found.push(unsuitable(format!("it must be a map or a set of strings, not a value of type {kind}")));
        }
    }
    found
}

/// An argument in the `lifecycle` of a block: that of the last override which has it.
pub(super) fn lifecycle(declared: &Declared, name: &str) -> Option<Written> {
    let mut blocks = declared.blocks.iter().rev().filter(|block| &*block.kind.text == "lifecycle");
    blocks.find_map(|block| Some(Written::of(block.file, block.body.get(name)?)))
}

/// The argument that decides how many instances a block has, with its name.
pub(super) fn repeated(declared: &Declared) -> Option<(&'static str, Written)> {
    let argument = |name: &'static str| Some((name, declared.arguments.get(name).cloned()?));
    let enabled = || Some(("enabled", lifecycle(declared, "enabled")?));
    argument("count").or_else(|| argument(FOR_EACH)).or_else(enabled)
}

impl Evaluation<'_, '_> {
    /// The instances of a resource or of a module call.
    pub(super) fn expand(&self, at: &At<'_>, declared: &Declared) -> Instances {
        if let Some(written) = declared.arguments.get("count") {
            return self.counted(at, written);
        }
        if let Some(written) = declared.arguments.get("for_each") {
            return self.keyed(at, written);
        }
        match lifecycle(declared, "enabled") {
            Some(written) => self.enabled(at, &written),
            None => Instances::Single,
        }
    }

    fn wrong(&self, at: &At<'_>, written: &Written, message: String) -> Instances {
        self.report_at(at, Failure::new(&rules::INVALID_REPETITION, message, written.place()));
        Instances::Failed
    }

    fn counted(&self, at: &At<'_>, written: &Written) -> Instances {
        let value = self.value(at, written);
        let wrong = |why: String| self.wrong(at, written, format!("invalid count argument: {why}"));
        if value.is_failed() {
            return Instances::Failed;
        }
        if value.all_marks().has(Marks::EPHEMERAL) {
            return wrong("an ephemeral value cannot decide how many instances there are".to_owned());
        }
        let number = match convert(&value, &Type::Number).map(|number| number.data) {
            Ok(Data::Number(number)) => number,
            Ok(Data::Unknown(_, reason)) => return Instances::Unknown(Repeat::AnyCount(Text::clone(&reason))),
            Ok(_) => return wrong("the value is null".to_owned()),
            Err(why) => return wrong(why.text()),
        };
        match number.as_i64() {
            _ if number.is_negative() => wrong("it must be zero or more".to_owned()),
            Some(count) if count as usize <= MAX_INSTANCES => Instances::Counted(count as usize),
            Some(count) => self.too_many(written, count as usize, Repeat::AnyCount),
            None => wrong("a whole number is required".to_owned()),
        }
    }

    fn too_many(&self, written: &Written, count: usize, repeat: fn(Text) -> Repeat) -> Instances {
        let reason = format!("{count} instances are more than the {MAX_INSTANCES} of one block that are examined");
        self.report(Failure::new(&rules::LIMIT_EXCEEDED, reason.clone(), written.place()));
        Instances::Unknown(repeat(reason.into()))
    }

    fn keyed(&self, at: &At<'_>, written: &Written) -> Instances {
        let value = self.value(at, written);
        if value.is_failed() {
            return Instances::Failed;
        }
        let problems = for_each_problems(&value);
        if !problems.is_empty() {
            for (is_mark, message) in problems {
                let rule = if is_mark { &rules::SENSITIVE } else { &rules::INVALID_REPETITION };
                self.report_at(at, Failure::new(rule, message, written.place()));
            }
            return Instances::Failed;
        }
        let unknown = |reason: &Text| Instances::Unknown(Repeat::AnyEach(reason.clone()));
        let keys: Vec<(Text, Val)> = match &value.data {
            Data::Unknown(_, reason) => return unknown(reason),
            Data::Partial(_, name) => return unknown(name),
            Data::Set(_, items) => {
                if let Some(reason) = items.iter().find_map(|item| item.is_unknown().then(|| item.unknown_reason())) {
                    return unknown(reason.unwrap_or(&Text::new()));
                }
                items.iter().filter_map(|item| Some((item.as_str()?.clone(), item.clone()))).collect()
            }
            _ => {
                value.as_entries().into_iter().flat_map(|all| all.iter()).map(|(k, v)| (k.clone(), v.clone())).collect()
            }
        };
        match keys.len() <= MAX_INSTANCES {
            true => Instances::Keyed(keys),
            false => self.too_many(written, keys.len(), Repeat::AnyEach),
        }
    }

    fn enabled(&self, at: &At<'_>, written: &Written) -> Instances {
        let value = self.value(at, written);
        if value.is_failed() {
            return Instances::Failed;
        }
        let wrong = |why: String| self.wrong(at, written, format!("invalid enabled argument: {why}"));
        for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
            if value.marks.has(mark) {
                let message =
                    format!("invalid enabled argument: {word} values cannot decide whether an instance is there");
                self.report_at(at, Failure::new(&rules::SENSITIVE, message, written.place()));
                return Instances::Failed;
            }
        }
        match convert(&value, &Type::Bool).map(|value| value.data) {
            Ok(Data::Bool(true)) => Instances::Single,
            Ok(Data::Bool(false)) => Instances::Disabled,
            Ok(Data::Unknown(_, reason)) => Instances::Unknown(Repeat::AnyCount(Text::clone(&reason))),
            Ok(_) => wrong("the value is null".to_owned()),
            Err(why) => wrong(why.text()),
        }
    }
}
