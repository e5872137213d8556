//! Which files are read: names of configuration and of values.

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Syntax {
    /// `.tf`, `.tofu`
    Native,
    /// `.tf.json`, `.tofu.json`
    Json,
    /// `.tfvars`
    Values,
    /// `.tfvars.json`
    JsonValues,
}

const EXTENSIONS: [(&str, Syntax); 4] =
    [(".tofu.json", Syntax::Json), (".tf.json", Syntax::Json), (".tofu", Syntax::Native), (".tf", Syntax::Native)];

/// The name of a file without what makes it configuration, and its syntax.
pub(crate) fn configuration(name: &str) -> Option<(&str, &'static str, Syntax)> {
    if name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#')) {
        return None;
    }
    EXTENSIONS.iter().find_map(|(extension, syntax)| {
        name.strip_suffix(extension).filter(|base| !base.is_empty()).map(|base| (base, *extension, *syntax))
    })
}

/// The file of a root module that locks the versions of providers.
pub(crate) const LOCK: &str = ".terraform.lock.hcl";

/// Files in the same language that configure the folder that they are in from outside: code beside them does not load them.
pub(crate) const AROUND: [&str; 2] = ["terragrunt.hcl", "terragrunt.stack.hcl"];

/// Whether a file of configuration overrides others, from its name.
pub(crate) fn is_override(name: &str) -> bool {
    configuration(name).is_some_and(|(base, ..)| base == "override" || base.ends_with("_override"))
}

/// Whether a file with this name in the folder of a root module is loaded automatically.
pub(crate) fn is_automatic(name: &str) -> bool {
    matches!(name, "terraform.tfvars" | "terraform.tfvars.json")
        || name.ends_with(".auto.tfvars")
        || name.ends_with(".auto.tfvars.json")
}
