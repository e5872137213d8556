//! The schemas of fields, as data. Source of the tables that use them: what Garden 0.14 accepts and rejects, tried with its own code.

mod check;
mod formats;

pub(crate) use check::{check_fields, check_plugins, check_shape};
pub(crate) use formats::Format;

/// The allowed type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// A text of a format.
    Text(Format),
    /// A number in a range, or a text that is one.
    Number(Range),
    /// A truth value, or a text that is one.
    Bool,
    /// A number, and no text that looks like one.
    PlainNumber,
    /// A truth value, and no text that looks like one.
    PlainBool,
    /// A mapping.
    Map,
    /// A mapping with names of a format, and values of one shape. What an operator leaves without a value is not there.
    MapOf(Format, &'static Shape),
    /// The same, where nothing may be without a value.
    PlainMapOf(Format, &'static Shape),
    /// A list with items of one shape.
    List(&'static Shape),
    /// A list with items of one shape, where items without a value do not count.
    Sparse(&'static Shape),
    /// A mapping with these keys alone.
    Fields(&'static [Field]),
    /// A mapping with these keys, and any others.
    Open(&'static [Field]),
    /// One of several.
    OneOf(&'static [Shape]),
    /// A value, or none.
    Nullable(&'static Shape),
    /// A value of a shape for which more holds.
    With(&'static Shape, Rule),
    /// A mapping with the fields that the word of a key stands for.
    ByWord(&'static str, &'static [(&'static str, &'static [Field])]),
    /// A value of a shape, without templates: Garden takes it as it is written.
    Literal(&'static Shape),
    /// A part of such a value that Garden evaluates later.
    Evaluated(&'static Shape),
}

/// What holds for a list or a mapping besides the shapes of its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// The list has an item.
    HasItem,
    /// No two items have the same value for a key.
    UniqueBy(&'static str),
    /// The mapping has one of these keys or more.
    SomeKey(&'static [&'static str]),
    /// The mapping has exactly one of these keys.
    OneKey(&'static [&'static str]),
    /// The mapping has at most one of these keys.
    MostOneKey(&'static [&'static str]),
    /// A key excludes others.
    Alone(&'static str, &'static [&'static str]),
    /// A key needs another one.
    Needs(&'static str, &'static str),
}

/// Which numbers are allowed, both ends included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    min: f64,
    max: f64,
    is_whole: bool,
}

/// Any number.
pub(crate) const NUMBER: Shape = Shape::Number(Range { min: f64::NEG_INFINITY, max: f64::INFINITY, is_whole: false });
/// A text that is not empty.
pub(crate) const TEXT: Shape = Shape::Text(Format::Filled);
/// A text, which may be empty.
pub(crate) const ANY_TEXT: Shape = Shape::Text(Format::Any);
/// A text, which may be empty, a number, a truth value, or none of them.
pub(crate) const PRIMITIVE: Shape = Shape::Nullable(&Shape::OneOf(&[ANY_TEXT, NUMBER, Shape::Bool]));
/// Environment variables of a program.
pub(crate) const ENV: Shape = Shape::MapOf(Format::EnvName, &PRIMITIVE);
/// A path without wildcards.
pub(crate) const PATH: Shape = Shape::Text(Format::Path);
/// The same, relative.
pub(crate) const RELATIVE_PATH: Shape = Shape::Text(Format::RelativePath);
/// The same, without `..`.
pub(crate) const INNER_PATH: Shape = Shape::Text(Format::InnerPath);
/// A relative path without `..`, which may have wildcards.
pub(crate) const PATTERN: Shape = Shape::Text(Format::Pattern);
/// The address of a Git repository with a branch or tag, or of a folder.
pub(crate) const REPOSITORY: Shape = Shape::Text(Format::Repository);

/// A number of at least `min`.
pub(crate) const fn at_least(min: f64) -> Shape {
    Shape::Number(Range { min, max: f64::INFINITY, is_whole: false })
}

/// A whole number of at least one.
pub(crate) const POSITIVE: Shape = Shape::Number(Range { min: 1.0, max: f64::INFINITY, is_whole: true });

/// A whole number.
pub(crate) const WHOLE: Shape = Shape::Number(Range { min: f64::NEG_INFINITY, max: f64::INFINITY, is_whole: true });

/// A number from `min` to `max`.
pub(crate) const fn between(min: f64, max: f64) -> Shape {
    Shape::Number(Range { min, max, is_whole: false })
}

/// A key of a mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The key.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// Whether it must be there.
    pub is_required: bool,
}

/// A key that may be there.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false }
}

/// A key that must be there.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: true }
}
