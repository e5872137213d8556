//! The schemas of providers, as `providers schema -json` prints them: which arguments and blocks a resource has, their types,
//! and which attributes the provider computes or hides.

mod apply;

use crate::hcl::types::{self, Type};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How deep types nest at most.
const MAX_DEPTH: usize = 60;

/// The schemas of providers.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ProviderSchemas {
    /// By the address of the provider: `registry.opentofu.org/hashicorp/aws`.
    #[serde(rename = "provider_schemas", default)]
    providers: BTreeMap<String, ProviderSchema>,
}

/// The schemas of a provider, by the types of its resources.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ProviderSchema {
    #[serde(default)]
    resource_schemas: BTreeMap<String, Schema>,
    #[serde(default)]
    data_source_schemas: BTreeMap<String, Schema>,
    #[serde(default)]
    ephemeral_resource_schemas: BTreeMap<String, Schema>,
}

#[derive(Debug, Deserialize)]
struct Schema {
    block: BlockSchema,
}

/// What a block has.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct BlockSchema {
    #[serde(default)]
    attributes: BTreeMap<String, Attribute>,
    #[serde(default)]
    block_types: BTreeMap<String, NestedBlock>,
}

/// An attribute.
#[derive(Debug, Deserialize)]
struct Attribute {
    /// Its type; that of the nested attributes if it has such.
    #[serde(rename = "type", default, deserialize_with = "read_type")]
    ty: Option<Type>,
    nested_type: Option<NestedAttributes>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    computed: bool,
    #[serde(default)]
    sensitive: bool,
}

/// The attributes of an object, or of each object in a collection.
#[derive(Debug, Deserialize)]
struct NestedAttributes {
    attributes: BTreeMap<String, Attribute>,
    nesting_mode: Nesting,
}

/// A type of blocks in a block.
#[derive(Debug, Deserialize)]
struct NestedBlock {
    nesting_mode: Nesting,
    #[serde(default)]
    block: BlockSchema,
}

/// What several values of the same kind make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Nesting {
    Single,
    Group,
    List,
    Set,
    Map,
}

impl ProviderSchemas {
    /// Reads a document.
    ///
    /// # Errors
    /// It is no JSON, or not of this form.
    pub(crate) fn read(json: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        match read.providers.is_empty() {
            true => Err("it has no `provider_schemas`".to_owned()),
            false => Ok(read),
        }
    }

    /// The schemas of the provider with a source: `hashicorp/aws`. The registry that it comes from is not compared, because each tool
    /// has its own.
    pub(super) fn provider(&self, source: &str) -> Option<&ProviderSchema> {
        let name = |source: &str| source.rsplit('/').take(2).map(str::to_owned).collect::<Vec<_>>();
        self.providers.iter().find(|(address, _)| name(address) == name(source)).map(|(_, schema)| schema)
    }
}

impl ProviderSchema {
    /// What a `resource`, a `data` source or an `ephemeral` resource of a type has; `None` if the provider has no such type.
    pub(super) fn block(&self, mode: &str, kind: &str) -> Option<&BlockSchema> {
        let all = match mode {
            "data" => &self.data_source_schemas,
            "ephemeral" => &self.ephemeral_resource_schemas,
            _ => &self.resource_schemas,
        };
        all.get(kind).map(|schema| &schema.block)
    }
}

impl Attribute {
    /// The type of its values.
    fn ty(&self) -> Type {
        match &self.nested_type {
            Some(nested) => nested.nesting_mode.of(object(&nested.attributes)),
            None => self.ty.clone().unwrap_or_default(),
        }
    }

    /// Whether the configuration cannot set it.
    fn is_read_only(&self) -> bool {
        self.computed && !self.optional && !self.required
    }
}

impl Nesting {
    /// The type of values of a type that nest like this.
    fn of(self, ty: Type) -> Type {
        match self {
            Nesting::Single | Nesting::Group => ty,
            Nesting::List => Type::list(ty),
            Nesting::Set => Type::set(ty),
            Nesting::Map => Type::map(ty),
        }
    }
}

/// The type of an object with these attributes.
fn object(attributes: &BTreeMap<String, Attribute>) -> Type {
    let attribute = |a: &Attribute| types::Attribute { ty: a.ty(), is_optional: !a.required };
    Type::Object(Arc::new(attributes.iter().map(|(name, a)| (name.as_str().into(), attribute(a))).collect()))
}

fn read_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Type>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    type_of(&json, 0).map(Some).ok_or_else(|| D::Error::custom(format!("`{json}` is no type")))
}

/// The type of its JSON form: `"string"`, `["list", "string"]`, `["object", {"a": "string"}]`.
fn type_of(json: &Json, depth: usize) -> Option<Type> {
    let inner = |json: &Json| type_of(json, depth + 1).filter(|_| depth < MAX_DEPTH);
    match json {
        Json::String(name) => match name.as_str() {
            "string" => Some(Type::Str),
            "number" => Some(Type::Number),
            "bool" => Some(Type::Bool),
            "dynamic" => Some(Type::Dynamic),
            _ => None,
        },
        Json::Array(parts) => match (parts.first()?.as_str()?, parts.get(1)?) {
            ("list", element) => Some(Type::list(inner(element)?)),
            ("set", element) => Some(Type::set(inner(element)?)),
            ("map", element) => Some(Type::map(inner(element)?)),
            ("tuple", Json::Array(elements)) => {
                Some(Type::Tuple(Arc::new(elements.iter().map(inner).collect::<Option<_>>()?)))
            }
            ("object", Json::Object(attributes)) => {
                let attribute = |ty| types::Attribute { ty, is_optional: true };
                let read = |(name, json): (&String, &Json)| Some((name.as_str().into(), attribute(inner(json)?)));
                Some(Type::Object(Arc::new(attributes.iter().map(read).collect::<Option<_>>()?)))
            }
            _ => None,
        },
        _ => None,
    }
}
