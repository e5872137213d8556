//! Sources made of another source: with other files, more files, or fewer.

mod beside;
mod linked;
mod overlay;
mod supplied;
mod without;

pub(crate) use beside::beside;
pub(crate) use linked::Linked;
pub(crate) use overlay::Overlay;
pub(crate) use supplied::{Inputs, Supplied};
pub(crate) use without::Without;

/// Methods of a [`Source`] with another listing than its `inner` one, of which everything but the files is the same.
macro_rules! like_inner {
    () => {
        fn listing(&self) -> &Listing {
            &self.listing
        }

        fn name(&self) -> &str {
            self.inner.name()
        }

        fn commit(&self) -> Option<String> {
            self.inner.commit()
        }

        fn lacking(&self) -> Result<(), Error> {
            self.inner.lacking()
        }

        fn is_lost(&self, entry: &Entry) -> bool {
            self.inner.is_lost(entry)
        }

        fn lost(&self) -> Vec<String> {
            self.inner.lost()
        }

        fn unreadable(&self) -> &[String] {
            self.inner.unreadable()
        }
    };
}
use like_inner;
