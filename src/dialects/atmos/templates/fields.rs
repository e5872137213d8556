//! The fields that templates read.

use crate::text::Text;
use crate::value::Value;
use std::cell::RefCell;

/// The data of templates, with the section that was read last: nearly all fields are in one.
pub(super) struct Fields<'v> {
    data: &'v Value,
    /// Its name is kept, so that the address stays its own.
    section: RefCell<Option<(Text, &'v Value)>>,
}

impl<'v> Fields<'v> {
    /// The fields of some data.
    pub(super) fn new(data: &'v Value) -> Self {
        Fields { data, section: RefCell::default() }
    }

    /// The data.
    pub(super) fn data(&self) -> &'v Value {
        self.data
    }

    /// The value at a path of interned names; `None` if nothing is there.
    pub(super) fn at(&self, path: &[Text]) -> Option<&'v Value> {
        let (first, rest) = path.split_first()?;
        let mut section = self.section.try_borrow_mut().ok()?;
        let outer = match &*section {
            Some((name, known)) if Text::ptr_eq(name, first) => known,
            _ => section.insert((Text::clone(first), self.data.as_map()?.value_of(first)?)).1,
        };
        rest.iter().try_fold(outer, |value, name| value.as_map()?.value_of(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Map};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_field_is_found_however_often_it_is_asked_for(
            paths in prop::collection::vec(prop::collection::vec(0..6usize, 1..4), 0..60),
        ) {
            let names: Vec<Text> = (0..6).map(|n| Text::from(format!("n{n}"))).collect();
            let section = |from: i64| {
                let values = names[1..5].iter().zip(from..).map(|(name, n)| (Text::clone(name), Value::new(Data::Int(n))));
                Value::map(values.collect::<Map>())
            };
            let sections = names[..4].iter().zip(0..).map(|(name, n)| (Text::clone(name), section(10 * n)));
            let data = Value::map(sections.collect());
            let fields = Fields::new(&data);
            for path in paths {
                let path: Vec<Text> = path.into_iter().map(|n| Text::clone(&names[n])).collect();
                let (found, expected) = (fields.at(&path), data.at_path(path.iter().map(|name| &**name)));
                prop_assert_eq!(found.map(std::ptr::from_ref), expected.map(std::ptr::from_ref));
            }
        }
    }
}
