//! Where components and values are written.

use super::causes::{MAX_CHAIN, MAX_NODES};
use crate::value::{Data, FileId, Origin, Value};
use std::collections::BTreeSet;

/// The files that a value and all that is nested in it are written in.
pub(super) fn written_in(value: &Value) -> BTreeSet<FileId> {
    let (mut files, mut todo, mut seen) = (BTreeSet::new(), vec![value], 0);
    while let Some(value) = todo.pop() {
        seen += 1;
        if seen > MAX_NODES {
            break;
        }
        files.extend(value.prov.origin.map(|o| o.file));
        match &value.data {
            Data::Map(map) => todo.extend(map.iter().map(|e| &e.value)),
            Data::List(items) => todo.extend(items.iter()),
            _ => {}
        }
    }
    files
}

/// Where a component is defined, by the layers of its merge.
pub(super) fn definitions(value: &Value) -> impl Iterator<Item = Origin> + '_ {
    let chain = std::iter::successors(Some(value), |value| value.prov.overrode()).take(MAX_CHAIN);
    chain.filter_map(|v| v.prov.origin)
}

/// The files that define a component by its key; where that is not known, all that its values are written in.
pub(super) fn defined_in(value: &Value) -> BTreeSet<FileId> {
    let files: BTreeSet<FileId> = definitions(value).map(|o| o.file).collect();
    if files.is_empty() { written_in(value) } else { files }
}
