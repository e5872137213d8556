//! Which values of its data a template reads: the parts that an unknown result is made of.

use crate::reads::made_of;
use crate::template::Template;
use crate::value::{Data, Flags, Prov, Read, Value};
use std::sync::Arc;

/// The values that the actions of a template refer to, with their contents.
pub(in crate::dialects::atmos) fn values_read(template: &Template, data: &Value) -> Vec<Read> {
    let reads = template.reads();
    let paths = reads.references.iter().map(|reference| &reference.path).chain(&reads.whole);
    let one = |path: &Vec<String>| {
        let name = format!(".{}", path.join("."));
        match data.at_path(path.iter().map(|key| &**key)) {
            Some(value) => made_of::value(name, value),
            None => Read { name: name.into(), content: None },
        }
    };
    paths.map(one).collect()
}

/// What an unknown part reads, and where that is written.
pub(in crate::dialects::atmos) type ReadBy = (Vec<Read>, Vec<Prov>);

/// The value with what its unknown parts read added, as `reads` says for each.
pub(in crate::dialects::atmos) fn with_reads(value: &Value, reads: &dyn Fn(&Value) -> ReadBy) -> Value {
    if !value.holds(Flags::UNKNOWN) {
        return value.clone();
    }
    let data = match &value.data {
        Data::Unknown(unknown) => {
            let mut unknown = (**unknown).clone();
            let (reads, places) = reads(value);
            unknown.add_reads(reads);
            return Value { data: Data::Unknown(Arc::new(unknown)), prov: value.prov.with_inputs(places) };
        }
        Data::List(items) => Data::List(Arc::new(items.iter().map(|item| with_reads(item, reads)).collect())),
        Data::Map(map) => {
            let entries = map.iter().map(|entry| (entry.key.clone(), with_reads(&entry.value, reads)));
            Data::Map(Arc::new(entries.collect()))
        }
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
