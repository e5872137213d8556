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

/// Methods of a [`Source`] with another listing than its `inner` one, of which everything but the files is the same. Its method `own`
/// returns the bytes of a file, or else the source that has them.
macro_rules! like_inner {
    () => {
        fn listing(&self) -> &Listing {
            &self.listing
        }

        fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
            self.own(entry).or_else(|source| source.read(entry))
        }

        fn read_data(&self, entry: &Entry) -> Result<Option<Arc<[u8]>>, Error> {
            self.own(entry).map(Some).or_else(|source| source.read_data(entry))
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

        fn lost(&self) -> Vec<String> {
            self.inner.lost()
        }

        fn unreadable(&self) -> &[String] {
            self.inner.unreadable()
        }
    };
}
use like_inner;
