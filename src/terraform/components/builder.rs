//! Collects the components of a root module.

use crate::resolution::{Component, ComponentMetadata, RemovalEffect};
use crate::terraform::evaluation::shown::exported;
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::module::block::Written;
use crate::text::Text;
use crate::value::{Language, Origin, Value, Vocabulary};
use std::sync::Arc;

/// The content of a component.
pub(crate) struct Described {
    pub kind: &'static str,
    pub name: Text,
    /// Its configuration.
    pub value: Value,
    /// The effect of removing it.
    pub removal: RemovalEffect,
    /// Metadata for rules.
    pub metadata: ComponentMetadata,
    /// The names of its parts, if they are not those of the others.
    pub vocabulary: Option<&'static Vocabulary>,
}

/// A component that only describes others.
pub(crate) fn described(kind: &'static str, name: impl Into<Text>, value: Value) -> Described {
    let (removal, metadata) = (RemovalEffect::Nothing, ComponentMetadata::default());
    Described { kind, name: name.into(), value, removal, metadata, vocabulary: None }
}

/// Collects the components of a root module.
pub(crate) struct Builder<'b, 'a> {
    /// The stack that the root module is.
    pub stack: &'b Text,
    /// The names of the parts of its components.
    pub vocabulary: &'static Vocabulary,
    /// The components so far.
    pub components: Vec<Arc<Component>>,
    /// The evaluation.
    pub statics: &'b Statics<'a>,
}

impl Builder<'_, '_> {
    /// Adds a component; `shaping` are its lines that are not the origin of one of its values.
    pub(crate) fn add(&mut self, described: Described, shaping: impl Iterator<Item = Origin>) {
        let Described { kind, name, value, removal, metadata, vocabulary } = described;
        let vocabulary = vocabulary.unwrap_or(self.vocabulary);
        self.components.push(Arc::new(Component {
            shaping_origins: shaping.collect(),
            removal,
            metadata,
            language: Language { vocabulary, ..Language::default() },
            ..Component::new((self.stack.clone(), kind.into(), name), value)
        }));
    }

    /// The value of an argument of a module: evaluated, or its text with what it needs.
    pub(crate) fn evaluated(&self, node: usize, written: &Written, name: String) -> Value {
        let found = self.statics.value(node, written, Identifier { text: name, place: written.argument() });
        exported(self.statics, node, written, found)
    }

    /// The same of an argument of a module call.
    pub(crate) fn given(&self, node: usize, written: &Written, name: String) -> Value {
        let found = self.statics.evaluate_argument(node, written, Identifier { text: name, place: written.argument() });
        exported(self.statics, node, written, found)
    }

    /// The text of an argument that is an address or a type.
    pub(crate) fn text(&self, written: &Written) -> Text {
        self.statics.plain_text(written)
    }
}
