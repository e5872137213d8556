//! What a schema says about the arguments and blocks that are written, and about what is not written.

use super::{Attribute, BlockSchema, Nesting};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Entries, Marks, Val};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is wrong with an argument.
pub(crate) type Wrong = String;

impl BlockSchema {
    /// Whether an argument can be set.
    ///
    /// # Errors
    /// There is none of this name, or only the provider sets it.
    pub(crate) fn name(&self, name: &str) -> Result<(), Wrong> {
        match self.attributes.get(name) {
            None if self.block_types.contains_key(name) => {
                Err(format!("unsupported argument: \"{name}\" is a block, not an argument"))
            }
            None => {
                let hint = near(name, self.attributes.keys());
                Err(format!("unsupported argument: an argument named \"{name}\" is not expected here{hint}"))
            }
            Some(attribute) if attribute.is_read_only() => {
                Err(format!("value for unconfigurable attribute: only the provider sets \"{name}\""))
            }
            Some(_) => Ok(()),
        }
    }

    /// Whether there is an attribute, or a type of blocks, of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.contains_key(name) || self.block_types.contains_key(name)
    }

    /// The value of an argument as the provider takes it: of its type, with what its nested attributes are without a value, and
    /// hidden from output if the provider says so. Nothing is known of arguments that there are not.
    ///
    /// # Errors
    /// The value does not fit its type.
    pub(crate) fn argument(&self, name: &str, value: Val) -> Result<Val, Wrong> {
        let Some(attribute) = self.attributes.get(name).filter(|_| !value.is_failed()) else { return Ok(value) };
        let wrong = |why: &str| format!("incorrect attribute value type: inappropriate value for \"{name}\": {why}");
        let fitted = convert(&value, &attribute.ty()).map_err(|why| wrong(&why.text()))?;
        let marks = if attribute.sensitive { Marks::SENSITIVE } else { Marks::NONE };
        Ok(attribute.complete(fitted, name).marked(marks))
    }

    /// The schema of a type of blocks in it.
    ///
    /// # Errors
    /// There are no such blocks. Attributes that are lists of objects may be written as blocks; nothing is known of these.
    pub(crate) fn block_type(&self, kind: &str) -> Result<Option<&BlockSchema>, Wrong> {
        match (self.block_types.get(kind), self.attributes.get(kind).and_then(|attribute| attribute.ty.as_ref())) {
            (Some(nested), _) => Ok(Some(&nested.block)),
            (None, Some(Type::List(element) | Type::Set(element))) if matches!(**element, Type::Object(_)) => Ok(None),
            _ => {
                let hint = match self.attributes.contains_key(kind) {
                    true => "; it is an argument".to_owned(),
                    false => near(kind, self.block_types.keys()),
                };
                Err(format!("unsupported block type: blocks of type \"{kind}\" are not expected here{hint}"))
            }
        }
    }

    /// The required arguments that are not among those that are written.
    pub(crate) fn missing(&self, is_written: impl Fn(&str) -> bool) -> Vec<&str> {
        let required = self.attributes.iter().filter(|(_, attribute)| attribute.required);
        required.map(|(name, _)| name.as_str()).filter(|name| !is_written(name)).collect()
    }

    /// All attributes of a block with these arguments and blocks: what is not set is null, or unknown if the provider computes it.
    /// `name` is that of the block, for reasons.
    pub(crate) fn complete(&self, mut entries: Entries, name: &str) -> Val {
        for (kind, nested) in &self.block_types {
            let written = entries.remove(kind.as_str());
            let items = written.as_ref().and_then(|all| all.as_items().cloned());
            let value = match (nested.nesting_mode, written, items) {
                (Nesting::Single | Nesting::Group, Some(_), Some(items)) => items.first().cloned().unwrap_or_default(),
                (_, Some(written), _) => written,
                (Nesting::List | Nesting::Set, None, _) => Val::tuple(Vec::new()),
                (Nesting::Map, None, _) => Val::object(Entries::new()),
                (Nesting::Single | Nesting::Group, None, _) => Val::null(),
            };
            entries.insert(kind.as_str().into(), value);
        }
        fill(&mut entries, &self.attributes, name);
        Val::object(entries)
    }
}

impl Attribute {
    /// A value with all nested attributes.
    fn complete(&self, value: Val, name: &str) -> Val {
        let Some(nested) = &self.nested_type else { return value };
        let one = |value: &Val| match value.as_entries() {
            Some(entries) => {
                let mut entries = (**entries).clone();
                fill(&mut entries, &nested.attributes, name);
                Val { data: Data::Object(Arc::new(entries)), ..value.clone() }
            }
            None => value.clone(),
        };
        let data = match (nested.nesting_mode, &value.data) {
            (Nesting::Single | Nesting::Group, _) => return one(&value),
            (_, Data::List(ty, items)) => Data::List(ty.clone(), Arc::new(items.iter().map(one).collect())),
            (_, Data::Set(ty, items)) => Data::Set(ty.clone(), Arc::new(items.iter().map(one).collect())),
            (_, Data::Map(ty, all)) => {
                Data::Map(ty.clone(), Arc::new(all.iter().map(|(key, value)| (key.clone(), one(value))).collect()))
            }
            _ => return value,
        };
        Val { data, ..value }
    }
}

/// Adds the attributes that are not set, and hides those that the provider hides.
fn fill(entries: &mut Entries, attributes: &BTreeMap<String, Attribute>, name: &str) {
    for (key, attribute) in attributes {
        let value = match entries.remove(key.as_str()).filter(|value| !value.is_null()) {
            Some(value) => attribute.complete(value, &format!("{name}.{key}")),
            None if attribute.computed => Val::unknown(attribute.ty(), format!("{name}.{key}")),
            None => Data::Null(attribute.ty()).into(),
        };
        let marks = if attribute.sensitive { Marks::SENSITIVE } else { Marks::NONE };
        entries.insert(key.as_str().into(), value.marked(marks));
    }
}

/// `; did you mean "x"?`, if a name is like this one.
fn near<'n>(name: &str, all: impl Iterator<Item = &'n String>) -> String {
    let near = crate::text::nearest(name, all.map(String::as_str));
    near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}
