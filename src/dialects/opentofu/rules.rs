//! The ids of the rules that this dialect reports.

/// The text of a file is malformed, or declares what cannot be declared.
pub(super) const INVALID_SYNTAX: &str = "tofu-invalid-syntax";
/// A declaration is wrong: it is repeated, unknown, or lacks something.
pub(super) const INVALID_DECLARATION: &str = "tofu-invalid-declaration";
/// A place that is computed before anything runs refers to what is known only later.
pub(super) const NOT_STATIC: &str = "tofu-not-static";
/// A name is declared nowhere.
pub(super) const UNDEFINED_NAME: &str = "tofu-undefined-name";
/// Locals refer to each other in a circle.
pub(super) const LOCAL_CYCLE: &str = "local-cycle";
/// A variable has no value.
pub(super) const MISSING_VALUE: &str = "tofu-missing-value";
/// An expression has no value, or one that cannot be used.
pub(super) const INVALID_VALUE: &str = "tofu-invalid-value";
/// A hidden or ephemeral value stands where it would be stored or shown.
pub(super) const SENSITIVE: &str = "tofu-sensitive-address";
/// The source or version of a module is none, or its folder is missing.
pub(super) const MODULE_SOURCE: &str = "tofu-module-source";
/// A call lacks an argument.
pub(super) const MODULE_ARGUMENT: &str = "tofu-module-argument";
/// `for_each` of a provider, or a use of it, is wrong.
pub(super) const PROVIDER_FOR_EACH: &str = "tofu-provider-for-each";
/// Encryption refers to what is not declared.
pub(super) const ENCRYPTION: &str = "tofu-encryption";
/// The backend is none, or has arguments that it does not take.
pub(super) const BACKEND: &str = "tofu-backend";
/// A file of values is wrong.
pub(super) const VALUES: &str = "tofu-variable-values";
/// Something takes more than is taken on.
pub(super) const LIMIT: &str = "limit-exceeded";
