//! The `settings`, `vars` and `env` of earlier imports, which paths of later imports can read. They are merged only if
//! a path is a template: merging them after every import would take quadratic time.

use crate::dialects::atmos::merge::{Merger, merge_imports};
use crate::value::Map;
use std::sync::Arc;

/// The maps imported so far on one path, the lowest first.
#[derive(Default)]
pub(in crate::dialects::atmos) struct ImportedSections {
    parts: Vec<Part>,
    /// Where those of the manifest that is processed now begin; those before are its importers'.
    own: usize,
}

struct Part {
    map: Arc<Map>,
    /// The merged result up to this one, if it was requested.
    sum: Option<Arc<Map>>,
}

/// Where the parts of the importer begin and end.
pub(in crate::dialects::atmos) struct Mark {
    own: usize,
    end: usize,
}

impl ImportedSections {
    /// Enters a manifest. Pass the result to [`ImportedSections::leave`].
    pub(in crate::dialects::atmos) fn enter(&mut self) -> Mark {
        let end = self.parts.len();
        Mark { own: std::mem::replace(&mut self.own, end), end }
    }

    /// Leaves the manifest and drops what it imported.
    pub(in crate::dialects::atmos) fn leave(&mut self, mark: &Mark) {
        self.parts.truncate(mark.end);
        self.own = mark.own;
    }

    /// One more import.
    pub(in crate::dialects::atmos) fn push(&mut self, map: Arc<Map>) {
        self.parts.push(Part { map, sum: None });
    }

    /// Returns the merged result.
    pub(in crate::dialects::atmos) fn sum<'m>(&mut self, merger: impl Into<Merger<'m>>) -> Arc<Map> {
        let known = self.parts.iter().rposition(|part| part.sum.is_some());
        let below = known.and_then(|at| match at >= self.own {
            // This one will not be requested again.
            true => self.parts[at].sum.take(),
            false => self.parts[at].sum.clone(),
        });
        let rest = &self.parts[known.map_or(0, |at| at + 1)..];
        let sum = merge_imports(merger, below.iter().chain(rest.iter().map(|part| &part.map)));
        if let Some(last) = self.parts.last_mut() {
            last.sum = Some(Arc::clone(&sum));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::atmos::merge::ListStrategy;
    use crate::value::{Data, Value};

    fn map(key: &str, n: i64) -> Arc<Map> {
        Arc::new([(key.into(), Value::new(Data::Int(n)))].into_iter().collect())
    }

    fn json(imported: &mut ImportedSections) -> String {
        serde_json::to_string(&Value { data: Data::Map(imported.sum(ListStrategy::Replace)), prov: Default::default() })
            .unwrap_or_default()
    }

    #[test]
    fn a_manifest_sees_what_came_before_it_and_leaves_nothing() {
        let mut imported = ImportedSections::default();
        assert_eq!(json(&mut imported), "{}");
        imported.push(map("a", 1));
        imported.push(map("b", 1));
        assert_eq!(json(&mut imported), r#"{"a":1,"b":1}"#);
        let mark = imported.enter();
        assert_eq!(json(&mut imported), r#"{"a":1,"b":1}"#);
        imported.push(map("a", 2));
        assert_eq!((json(&mut imported), json(&mut imported)), (r#"{"a":2,"b":1}"#.into(), r#"{"a":2,"b":1}"#.into()));
        let deeper = imported.enter();
        imported.push(map("c", 3));
        assert_eq!(json(&mut imported), r#"{"a":2,"b":1,"c":3}"#);
        imported.leave(&deeper);
        imported.push(map("b", 2));
        assert_eq!(json(&mut imported), r#"{"a":2,"b":2}"#);
        imported.leave(&mark);
        assert_eq!(json(&mut imported), r#"{"a":1,"b":1}"#);
        imported.push(map("d", 4));
        assert_eq!(json(&mut imported), r#"{"a":1,"b":1,"d":4}"#);
    }

    #[test]
    fn imports_are_not_merged_until_a_path_asks() {
        let mut imported = ImportedSections::default();
        (0..2_000).for_each(|i| imported.push(map(&format!("k{i}"), i)));
        assert!(imported.parts.iter().all(|part| part.sum.is_none()));
        let mark = imported.enter();
        // Results that a manifest requests repeatedly are cached.
        (0..20).for_each(|i| {
            imported.push(map("a", i));
            imported.sum(ListStrategy::Replace);
        });
        assert_eq!(imported.parts.iter().filter(|part| part.sum.is_some()).count(), 1);
        imported.leave(&mark);
        assert_eq!(imported.parts.len(), 2_000);
    }
}
