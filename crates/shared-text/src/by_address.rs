//! Identity of shared objects.

use crate::Text;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// A pointer that shares the ownership of an object.
pub trait Shared {
    /// Where the object is in memory: its own place as long as the pointer exists.
    fn address(&self) -> usize;
}

impl<T: ?Sized> Shared for Arc<T> {
    fn address(&self) -> usize {
        Arc::as_ptr(self).cast::<()>().addr()
    }
}

impl<T: ?Sized> Shared for Rc<T> {
    fn address(&self) -> usize {
        Rc::as_ptr(self).cast::<()>().addr()
    }
}

impl Shared for Text {
    fn address(&self) -> usize {
        self.as_ptr().addr()
    }
}

impl<P: Shared> Shared for &P {
    fn address(&self) -> usize {
        (**self).address()
    }
}

/// A shared pointer that is equal only to pointers to the same object, whatever that contains: for keys of maps and for what is
/// visited once.
///
/// It owns or borrows the pointer, so that the object exists as long as the key: no other one can take its place in memory.
#[derive(Clone, Copy, Debug)]
pub struct ByAddress<P>(pub P);

impl<P: Shared> PartialEq for ByAddress<P> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.address() == other.0.address()
    }
}

impl<P: Shared> Eq for ByAddress<P> {}

impl<P: Shared> Hash for ByAddress<P> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.address().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn equal_objects_are_not_the_same() {
        let (one, other) = (Arc::new(1), Arc::new(1));
        assert_ne!(ByAddress(&one), ByAddress(&other));
        assert_eq!(ByAddress(&one), ByAddress(&Arc::clone(&one)));
        let all: HashSet<_> = [&one, &other, &one].map(ByAddress).into();
        assert_eq!(all.len(), 2);
    }
}
