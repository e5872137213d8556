//! Descriptions of configuration files for editors. They do not include names that are declared in code, which are
//! independent of the dialect.

use crate::hcl::functions;
use crate::resolution::Component;
use crate::resolution::authoring::{Authoring, Expected, Function, Key, Member, WrittenPlace};
use crate::syntax::Language;
use crate::terraform::module::schema;

/// See [`Authoring`].
pub(super) struct OpenTofu;

impl Authoring for OpenTofu {
    fn expected(&self, place: &WrittenPlace<'_>) -> Expected {
        let is_code = Language::of(place.path) == Language::Hcl && !place.path.ends_with(".tfvars");
        let found = if is_code { schema::below(place.keys) } else { Vec::new() };
        let key = |(name, kind)| Key { name, kind, replacement: None };
        Expected { keys: found.into_iter().map(key).collect(), ..Expected::default() }
    }

    fn template_functions(&self) -> Vec<Function> {
        let one =
            |(name, parameters): (&'static str, String)| Function { name: name.into(), parameters, arguments: &[] };
        functions::described().into_iter().map(one).collect()
    }

    fn members(&self, _: &[&Component], _: &[&str]) -> Vec<Member> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_their_arguments() {
        let names = |path: &str, keys: &[&str]| -> Vec<&str> {
            let found = OpenTofu.expected(&WrittenPlace { path, keys, fields: &[] });
            found.keys.iter().map(|key| key.name).collect()
        };
        assert!(names("a.tf", &[]).contains(&"variable"));
        assert!(names("a.tf", &["variable", "x"]).contains(&"sensitive"));
        assert!(names("a.tofu", &["terraform"]).contains(&"backend"));
        assert!(names("a.tf", &["module", "x"]).contains(&"source"));
        assert!(names("a.tfvars", &[]).is_empty());
        let all = OpenTofu.template_functions();
        let parameters = |name: &str| all.iter().find(|f| *f.name == *name).map(|f| f.parameters.as_str());
        assert_eq!(parameters("join"), Some("string, list of string…"));
        assert_eq!(parameters("try"), Some("any…"));
    }
}
