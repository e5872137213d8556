//! Details that messages show and comparisons ignore.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Something that messages show and that is no part of what is compared: where a value is written. All details are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail<T>(pub T);

impl<T> PartialEq for Detail<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Detail<T> {}

impl<T> Hash for Detail<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> Deref for Detail<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Detail<T> {
    fn from(detail: T) -> Self {
        Detail(detail)
    }
}
