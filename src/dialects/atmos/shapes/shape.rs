//! The vocabulary of descriptions of manifests: the allowed values at a place. Descriptions are `static` data; they may
//! refer to each other and to themselves.

/// An allowed value.
pub(crate) enum Shape {
    /// Anything.
    Any,
    Text,
    /// Text that does not begin with `!include`.
    OwnText,
    /// Text that begins with `!include`: a call that was quoted, so that it was not carried out.
    Call,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these words in any case, or nothing.
    AnyCase(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    Number(Range),
    List(List),
    Map(Map),
    /// A call of `!include` as text, or the value that it includes.
    Included(&'static Shape),
    /// One of several, which differ in their kinds.
    Either(&'static [&'static Shape]),
    /// A description with a name, which is how an exported schema refers to it.
    Named(
        #[cfg_attr(not(test), allow(dead_code, reason = "only the exported schema needs it"))] &'static str,
        &'static Shape,
    ),
}

/// The numbers that are taken.
#[derive(Debug)]
pub(crate) struct Range {
    /// Whether it must be whole.
    pub whole: bool,
    /// The least one.
    pub min: Option<i64>,
    /// The greatest one.
    pub max: Option<i64>,
    /// It must be greater than this.
    pub above: Option<i64>,
}

/// The lists that are taken.
pub(crate) struct List {
    /// The shape of every item.
    pub item: &'static Shape,
    /// Whether there must be an item.
    pub filled: bool,
    /// Whether all items must differ.
    pub unique: bool,
}

/// The maps that are taken.
pub(crate) struct Map {
    /// The keys that have a meaning.
    pub keys: &'static [Key],
    /// Other allowed entries.
    pub rest: Rest,
    /// Conditions between keys.
    pub conditions: &'static [Condition],
}

impl std::fmt::Debug for Map {
    /// Descriptions refer to themselves, so nested ones are omitted.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|k| k.name)).finish()
    }
}

/// A key that has a meaning.
pub(crate) struct Key {
    /// The key.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: &'static Shape,
    /// The replacement, if the key is only supported for compatibility.
    pub replacement: Option<&'static str>,
    /// Whether the replacement is a path at which the value means the same.
    pub is_moved: bool,
}

/// The allowed entries of a map besides its known keys.
pub(crate) enum Rest {
    /// Anything: the entries belong to the user.
    Free,
    /// Anything, but Atmos skips it: a key that is nearly one with a meaning is probably meant to be that one.
    Ignored,
    /// Nothing.
    Closed,
    /// Entries of one shape.
    Each(&'static Shape),
    /// Entries of one shape, whose names are limited.
    Entries(Names, &'static Shape),
}

/// How entries may be called.
pub(crate) struct Names {
    /// The allowed characters besides the letters `a` to `z` in both cases and digits; `None` for any except line
    /// breaks.
    pub signs: Option<&'static str>,
}

impl Names {
    pub(crate) const COMPONENT: Names = Names { signs: Some("/_{}. -") };

    /// Whether a name is one of them.
    pub(crate) fn allow(&self, name: &str) -> bool {
        match self.signs {
            Some(signs) => !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c)),
            None => name.contains(|c| c != '\n'),
        }
    }
}

/// A condition between the keys of a map.
pub(crate) enum Condition {
    /// The key is there.
    Needs(&'static str),
    /// One of the keys is there and no other of them.
    ExactlyOne(&'static [&'static str]),
    /// All keys of one of the groups are there; where a key has words with it, its value, if there is one, must be one
    /// of them.
    OneGroup(&'static [Group]),
    /// Where the first key holds a map, the second one is this word.
    MapDemands(&'static str, &'static str, &'static str),
}

/// Keys that go together.
pub(super) type Group = &'static [(&'static str, &'static [&'static str])];

/// Keys with their shapes: `keys! { "vars": VARS, "depends_on" => "dependencies.components": DEPENDS_ON }`. `moved`
/// precedes the replacement of a key whose value can be moved unchanged.
macro_rules! keys {
    (@moved) => { false };
    (@moved moved) => { true };
    (@replacement) => { None };
    (@replacement $new:literal) => { Some($new) };
    ($($name:literal $(=> $($moved:ident)? $new:literal)?: $shape:expr),* $(,)?) => {
        &[$($crate::dialects::atmos::shapes::shape::Key {
            name: $name,
            shape: &$shape,
            replacement: $crate::dialects::atmos::shapes::shape::keys!(@replacement $($new)?),
            is_moved: $crate::dialects::atmos::shapes::shape::keys!(@moved $($($moved)?)?),
        }),*]
    };
}

/// A map: its other allowed entries, its keys, and its conditions: `map!(Closed { "name": TEXT } Needs("name"))`.
macro_rules! map {
    ($rest:ident $(($($of:expr),+))? { $($keys:tt)* } $($condition:ident($($words:expr),+))*) => {
        $crate::dialects::atmos::shapes::shape::Shape::Map($crate::dialects::atmos::shapes::shape::Map {
            keys: $crate::dialects::atmos::shapes::shape::keys!($($keys)*),
            rest: $crate::dialects::atmos::shapes::shape::Rest::$rest $(($($of),+))?,
            conditions: &[$($crate::dialects::atmos::shapes::shape::Condition::$condition($($words),+)),*],
        })
    };
}

/// A map that may also be a call of `!include`.
macro_rules! section {
    ($($map:tt)*) => {
        $crate::dialects::atmos::shapes::shape::Shape::Included(&$crate::dialects::atmos::shapes::shape::map!($($map)*))
    };
}

/// A list of one shape, with marks: `list!(Text, filled, unique)`.
macro_rules! list {
    ($item:expr) => { $crate::dialects::atmos::shapes::shape::list!(@ $item, false, false) };
    ($item:expr, filled) => { $crate::dialects::atmos::shapes::shape::list!(@ $item, true, false) };
    ($item:expr, unique) => { $crate::dialects::atmos::shapes::shape::list!(@ $item, false, true) };
    ($item:expr, filled, unique) => { $crate::dialects::atmos::shapes::shape::list!(@ $item, true, true) };
    (@ $item:expr, $filled:literal, $unique:literal) => {
        $crate::dialects::atmos::shapes::shape::Shape::List($crate::dialects::atmos::shapes::shape::List {
            item: &$item,
            filled: $filled,
            unique: $unique,
        })
    };
}

/// A number: `number!(whole, min 1)`.
macro_rules! number {
    (@whole whole) => { true };
    (@whole any) => { false };
    ($whole:ident $(, min $min:literal)? $(, max $max:literal)? $(, above $above:literal)?) => {
        $crate::dialects::atmos::shapes::shape::Shape::Number($crate::dialects::atmos::shapes::shape::Range {
            whole: $crate::dialects::atmos::shapes::shape::number!(@whole $whole),
            min: $crate::dialects::atmos::shapes::shape::number!(@bound $($min)?),
            max: $crate::dialects::atmos::shapes::shape::number!(@bound $($max)?),
            above: $crate::dialects::atmos::shapes::shape::number!(@bound $($above)?),
        })
    };
    (@bound) => { None };
    (@bound $value:literal) => { Some($value) };
}

pub(crate) use {keys, list, map, number, section};
