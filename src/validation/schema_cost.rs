//! Estimates the cost of a schema before it is used: `allOf` and similar keywords multiply with every `$ref`.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};

/// The maximum number of schemas that a value may be checked against, with references followed.
const MAX_EXPANDED: u64 = 100_000;
/// The maximum length of a chain of references.
const MAX_CHAIN: u64 = 2_000;

/// Keywords whose schemas are for the same value.
const SAME: [&str; 10] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref", "$dynamicRef"];
/// Keywords whose schemas are for what is inside of the value, and which name them.
const INSIDE_NAMED: [&str; 2] = ["properties", "patternProperties"];
/// Keywords whose schemas are for what is inside of the value.
const INSIDE: [&str; 9] = [
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "propertyNames",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// The cost of a schema.
#[derive(Clone, Copy)]
struct Cost {
    expanded: u64,
    chain: u64,
}

/// Explains which limit a schema exceeds; `files` are those that it refers to, by address.
pub(super) fn excess(schema: &Json, files: &BTreeMap<String, Json>) -> Option<String> {
    let mut walk = CostWalk { root: schema, known: HashMap::new() };
    let too_much = |cost: Result<Cost, String>| match cost {
        Err(why) => Some(why),
        Ok(cost) if cost.chain > MAX_CHAIN => {
            Some(format!("more than {MAX_CHAIN} schemas refer to one another in a chain"))
        }
        Ok(cost) if cost.expanded > MAX_EXPANDED => {
            Some(format!("it expands to more than {MAX_EXPANDED} schemas when references are followed"))
        }
        Ok(_) => None,
    };
    // Files are examined each for itself; what they refer to in others counts as one.
    too_much(walk.cost(schema, 0)).or_else(|| {
        files.values().find_map(|file| too_much(CostWalk { root: file, known: HashMap::new() }.cost(file, 0)))
    })
}

struct CostWalk<'a> {
    root: &'a Json,
    /// By the address of a schema in memory; `None` while it is being computed.
    known: HashMap<*const Json, Option<Cost>>,
}

impl<'a> CostWalk<'a> {
    fn cost(&mut self, schema: &'a Json, depth: u64) -> Result<Cost, String> {
        let Json::Object(map) = schema else { return Ok(Cost { expanded: 1, chain: 1 }) };
        match self.known.get(&std::ptr::from_ref(schema)) {
            Some(Some(cost)) => return Ok(*cost),
            // A schema for what is inside may refer to what is around it; how often it applies is up to the value.
            Some(None) => return Ok(Cost { expanded: 1, chain: 1 }),
            None => {}
        }
        if depth > MAX_CHAIN {
            return Ok(Cost { expanded: 1, chain: MAX_CHAIN + 1 });
        }
        self.known.insert(std::ptr::from_ref(schema), None);
        let mut whole = Cost { expanded: 1, chain: 0 };
        for (keyword, value) in map {
            let keyword = keyword.as_str();
            let inner: Vec<&'a Json> = match value {
                Json::String(target) if keyword == "$ref" => {
                    target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).into_iter().collect()
                }
                Json::Object(named) if INSIDE_NAMED.contains(&keyword) || keyword == "dependentSchemas" => {
                    named.values().collect()
                }
                Json::Array(all) if SAME.contains(&keyword) || INSIDE.contains(&keyword) => all.iter().collect(),
                Json::Object(_) if SAME.contains(&keyword) || INSIDE.contains(&keyword) => vec![value],
                _ => Vec::new(),
            };
            for schema in inner {
                let cost = self.cost(schema, depth + 1)?;
                whole.expanded = whole.expanded.saturating_add(cost.expanded);
                whole.chain = whole.chain.max(cost.chain);
            }
        }
        whole.chain += 1;
        self.known.insert(std::ptr::from_ref(schema), Some(whole));
        Ok(whole)
    }
}

/// Whether a schema refers to itself without descending into the value: then validation would never terminate.
pub(super) fn circle(schema: &Json) -> bool {
    fn leads_back<'a>(root: &'a Json, at: &'a Json, states: &mut HashMap<*const Json, bool>) -> bool {
        let Json::Object(map) = at else { return false };
        match states.get(&std::ptr::from_ref(at)) {
            Some(is_done) => return !is_done,
            None => states.insert(std::ptr::from_ref(at), false),
        };
        for (keyword, value) in map.iter().filter(|(keyword, _)| SAME.contains(&keyword.as_str())) {
            let inner: Vec<&'a Json> = match value {
                Json::String(target) => {
                    target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)).into_iter().collect()
                }
                Json::Array(all) => all.iter().collect(),
                Json::Object(named) if keyword == "dependentSchemas" => named.values().collect(),
                other => vec![other],
            };
            if inner.into_iter().any(|schema| leads_back(root, schema, states)) {
                return true;
            }
        }
        states.insert(std::ptr::from_ref(at), true);
        false
    }
    let mut states = HashMap::new();
    let mut open = vec![schema];
    while let Some(at) = open.pop() {
        if leads_back(schema, at, &mut states) {
            return true;
        }
        match at {
            Json::Object(map) => open.extend(map.values()),
            Json::Array(all) => open.extend(all),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates `levels` definitions, each of which requires the next one three times.
    fn multiplied(levels: usize) -> Json {
        let mut definitions = serde_json::Map::new();
        for i in 0..levels {
            let next = serde_json::json!({"$ref": format!("#/$defs/d{}", i + 1)});
            definitions.insert(format!("d{i}"), serde_json::json!({"allOf": [next, next, next]}));
        }
        definitions.insert(format!("d{levels}"), serde_json::json!({"type": "object"}));
        serde_json::json!({"$ref": "#/$defs/d0", "$defs": definitions})
    }

    #[test]
    fn schemas_that_multiply_are_reported() {
        assert_eq!(excess(&multiplied(8), &BTreeMap::new()), None);
        assert!(excess(&multiplied(14), &BTreeMap::new()).is_some_and(|why| why.contains("schemas")));
        assert!(!circle(&multiplied(5)));
    }

    #[test]
    fn circles_are_reported() {
        let circular =
            serde_json::json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}});
        assert!(circle(&circular));
        assert!(circle(&serde_json::json!({"$ref": "#"})));
        let tree = serde_json::json!({"properties": {"child": {"$ref": "#"}}, "items": {"$ref": "#"}});
        assert!(!circle(&tree) && excess(&tree, &BTreeMap::new()).is_none());
    }
}
