//! Reading `stacklint.toml`.

use super::{Acceptance, FailOn, From, Override, Setting, Settings, Sourced};
use crate::diagnostic::policy::unknown_rule;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::dialects::VariableSet;
use crate::environments::DeclaredDifference;
use crate::files::{File, Files};
use crate::limits::Limit;
use crate::policies::{self, Policies};
use crate::rules::{self, Group};
use crate::source::Source;
use crate::source::glob::Glob;
use crate::terraform::provider_schema::ProviderSchemas;
use crate::text::Text;
use crate::value::FileId;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

pub(crate) const FILE_NAME: &str = "stacklint.toml";

/// The settings of a revision.
#[derive(Clone, Debug, Default)]
pub(crate) struct Load {
    pub settings: Settings,
    /// The file that they come from, if there is one.
    pub file: Option<SettingsFile>,
    /// Findings about the settings that can still be used.
    pub findings: Vec<Diagnostic>,
}

/// The settings file of a revision.
#[derive(Clone, Debug)]
pub(crate) struct SettingsFile {
    /// Its path from the root of the repository.
    pub path: String,
    pub id: FileId,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Content {
    fail_on: Option<Spanned<FailOn>>,
    min_level: Option<Spanned<MinLevel>>,
    strict: Option<Spanned<bool>>,
    require_reasons: Option<Spanned<bool>>,
    #[serde(default)]
    projects: Vec<Spanned<String>>,
    baseline: Option<Spanned<String>>,
    max_components: Option<Spanned<usize>>,
    max_imports: Option<Spanned<usize>>,
    max_slow_calls: Option<Spanned<usize>>,
    #[serde(default)]
    protected: Vec<Spanned<String>>,
    variables: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    accept: Vec<Spanned<String>>,
    #[serde(default)]
    roots: Vec<Spanned<String>>,
    #[serde(default)]
    var_files: Vec<String>,
    #[serde(default)]
    workspaces: Vec<String>,
    #[serde(default)]
    variable_sets: BTreeMap<Spanned<String>, SetContent>,
    dialect: Option<Spanned<String>>,
    provider_schema: Option<Spanned<String>>,
    #[serde(default)]
    inputs: InputsContent,
    #[serde(default)]
    limits: BTreeMap<Limit, Spanned<u64>>,
    #[serde(default)]
    groups: BTreeMap<Spanned<String>, Spanned<Setting>>,
    #[serde(default)]
    rules: BTreeMap<Spanned<String>, Spanned<Setting>>,
    #[serde(default)]
    overrides: Vec<OverrideContent>,
    #[serde(default)]
    differences: Vec<DifferenceContent>,
    #[serde(default)]
    environments: Vec<EnvironmentsContent>,
    #[serde(default)]
    require: Vec<policies::Require>,
    #[serde(default)]
    rego: Vec<policies::Rego>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MinLevel {
    Note,
    Warning,
    Error,
    Danger,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SetContent {
    #[serde(default)]
    var_files: Vec<String>,
    #[serde(default)]
    variables: BTreeMap<String, ValueContent>,
    workspace: Option<String>,
}

/// Files that are never committed.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputsContent {
    /// The file with the content, by path.
    #[serde(default)]
    files: BTreeMap<String, Spanned<String>>,
    /// Patterns as in `.gitignore`.
    #[serde(default)]
    generated: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ValueContent {
    Text(String),
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl SetContent {
    /// Returns the set. Values other than strings are given in their written form.
    fn set(self) -> VariableSet {
        let text = |value: ValueContent| match value {
            ValueContent::Text(text) => text,
            ValueContent::Bool(flag) => flag.to_string(),
            ValueContent::Int(number) => number.to_string(),
            ValueContent::Float(number) => number.to_string(),
        };
        let variables = self.variables.into_iter().map(|(name, value)| (name, text(value))).collect();
        VariableSet { var_files: self.var_files, variables, workspace: self.workspace }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OverrideContent {
    paths: Vec<Spanned<String>>,
    rules: BTreeMap<Spanned<String>, Spanned<Setting>>,
    reason: Spanned<String>,
}

/// Differences between environments that are meant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DifferenceContent {
    /// Keys with dots between them, with `*` and `**`.
    paths: Vec<Spanned<String>>,
    #[serde(default)]
    components: Vec<Spanned<String>>,
    reason: Spanned<String>,
}

/// Two environments that should be alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentsContent {
    left: String,
    right: String,
}

/// A pattern of folders below the folder of the settings, from the root of the repository.
fn below(folder: &str, pattern: &str) -> String {
    let name = pattern.trim_matches('/');
    match name == "." && !folder.is_empty() {
        true => folder.trim_end_matches('/').to_owned(),
        false => format!("{folder}{name}"),
    }
}

impl Load {
    /// The settings that count for a run started in the folder `start`: those of the nearest `stacklint.toml` in it or
    /// above it.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML or holds what nobody knows: a message with its place.
    pub(crate) fn find(source: &dyn Source, start: &str, files: &Files) -> Result<Self, String> {
        let mut folder = start;
        loop {
            let path = if folder.is_empty() { FILE_NAME.to_owned() } else { format!("{folder}/{FILE_NAME}") };
            if let Ok(entry) = source.listing().resolve(&path) {
                let bytes = source.read(entry).map_err(|e| e.to_string())?;
                let text = std::str::from_utf8(&bytes).map_err(|_| format!("{path}: it is not UTF-8"))?;
                let id = files.add(&path, &entry.id.to_string(), || Text::from(text));
                return Self::parse(&path, id, source, files);
            }
            folder = match folder.rsplit_once('/') {
                Some((above, _)) => above,
                None if folder.is_empty() => return Ok(Self::default()),
                None => "",
            };
        }
    }

    /// Reads the settings that control how a state is resolved, for commands without findings. They have no option that raises
    /// limits.
    ///
    /// # Errors
    /// As for [`Load::find`].
    pub(crate) fn resolving(source: &dyn Source, start: &str) -> Result<Settings, String> {
        let Settings { projects, roots, inputs, work, limits, .. } =
            Self::find(source, start, &Files::default())?.settings;
        Ok(Settings { projects, roots, inputs, work: work.lowered(), limits, ..Settings::default() })
    }

    /// The settings in a file.
    fn parse(path: &str, id: FileId, source: &dyn Source, files: &Files) -> Result<Self, String> {
        let file: &File = &files.get(id);
        let located = |span: Option<Range<usize>>, message: &str| {
            let at = file.position(span.map_or(0, |s| s.start as u32));
            format!("{path}:{}:{}: {}", at.line, at.column, message.trim())
        };
        let content: Content =
            toml::from_str(&file.text).map_err(|e| located(e.span(), &crate::text::plain(e.message())))?;
        let mut load = Load { file: Some(SettingsFile { path: path.to_owned(), id }), ..Load::default() };
        let line = |span: Range<usize>| From::File(file.line(span.start as u32));
        let settings = &mut load.settings;
        if let Some(set) = content.fail_on {
            settings.fail_on = Sourced { from: line(set.span()), value: set.into_inner() };
        }
        if let Some(set) = content.min_level {
            let value = match set.get_ref() {
                MinLevel::Note => Level::Note,
                MinLevel::Warning => Level::Warning,
                MinLevel::Error => Level::Error,
                MinLevel::Danger => Level::Danger,
            };
            settings.min_level = Sourced { from: line(set.span()), value };
        }
        if let Some(set) = content.strict {
            settings.strict = Sourced { from: line(set.span()), value: set.into_inner() };
        }
        if let Some(set) = content.require_reasons {
            settings.require_reasons = Sourced { from: line(set.span()), value: set.into_inner() };
        }
        for text in content.accept {
            let accepted = Acceptance::parse(text.get_ref()).map_err(|e| located(Some(text.span()), &e))?;
            settings.accept.push(accepted);
        }
        for pattern in content.projects {
            let folder = path.strip_suffix(FILE_NAME).unwrap_or_default();
            let whole = below(folder, pattern.get_ref());
            let glob = Glob::new(&whole).map_err(|e| {
                located(Some(pattern.span()), &format!("`{}` is not a valid pattern: {e}", pattern.get_ref()))
            })?;
            settings.projects.from = line(pattern.span());
            settings.projects.value.push(glob);
        }
        if let Some(set) = content.baseline {
            let folder = path.strip_suffix(FILE_NAME).unwrap_or_default();
            settings.baseline =
                Sourced { from: line(set.span()), value: Some(format!("{folder}{}", set.into_inner())) };
        }
        if let Some(set) = content.max_components {
            settings.limits_from.components = line(set.span());
            settings.limits.max_components = set.into_inner();
        }
        if let Some(set) = content.max_imports {
            settings.limits_from.imports = line(set.span());
            settings.limits.max_imports = set.into_inner();
        }
        if let Some(set) = content.max_slow_calls {
            settings.limits_from.slow_calls = line(set.span());
            settings.limits.max_slow_calls = set.into_inner();
        }
        for stack in content.protected {
            let glob = Glob::new(stack.get_ref()).map_err(|e| {
                located(Some(stack.span()), &format!("`{}` is not a valid pattern: {e}", stack.get_ref()))
            })?;
            settings.limits_from.protected = line(stack.span());
            settings.limits.protected.push(glob);
        }
        if let Some(set) = content.variables {
            let from = line(set.span());
            settings.variables = Sourced { from, value: Some(set.into_inner().into_iter().collect()) };
        }
        let folder = path.strip_suffix(FILE_NAME).unwrap_or_default();
        let root = &mut settings.roots;
        for pattern in content.roots {
            let whole = below(folder, pattern.get_ref());
            let glob = Glob::new(&whole).map_err(|e| {
                located(Some(pattern.span()), &format!("`{}` is not a valid pattern: {e}", pattern.get_ref()))
            })?;
            root.roots.push(glob);
        }
        root.var_files = content.var_files;
        root.workspaces = content.workspaces;
        root.tool = content.dialect.map(Spanned::into_inner);
        if let Some(named) = content.provider_schema {
            // The file is that of the revision that the settings are of: no change chooses it.
            let path = below(folder, named.get_ref());
            let entry = source.listing().resolve(&path).map_err(|e| e.to_string());
            let bytes = entry.and_then(|entry| source.read(entry).map_err(|e| e.to_string()));
            let schemas = bytes.and_then(|bytes| ProviderSchemas::read(&bytes));
            let wrong = |e| located(Some(named.span()), &format!("`{path}` holds no schemas of providers: {e}"));
            root.schemas = Some(Arc::new(schemas.map_err(wrong)?));
        }
        for (name, set) in content.variable_sets {
            if name.get_ref().is_empty() || name.get_ref().contains(['/', '@']) {
                return Err(located(
                    Some(name.span()),
                    &format!("`{}` is not the name of a set of variables", name.get_ref()),
                ));
            }
            root.sets.insert(name.into_inner(), set.set());
        }
        settings.inputs.folder = if content.inputs.generated.is_empty() { String::new() } else { folder.to_owned() };
        settings.inputs.generated = content.inputs.generated;
        for (name, stand_in) in content.inputs.files {
            // The content is that of the revision that the settings are of: no change chooses it.
            let path = below(folder, stand_in.get_ref());
            let entry = source.listing().resolve(&path).map_err(|e| e.to_string());
            let bytes = entry.and_then(|entry| source.read(entry).map_err(|e| e.to_string()));
            let bytes =
                bytes.map_err(|e| located(Some(stand_in.span()), &format!("`{path}` cannot be supplied: {e}")))?;
            settings.inputs.files.insert(below(folder, &name), bytes);
        }
        for (limit, set) in content.limits {
            settings.work.set(limit, *set.get_ref()).map_err(|e| located(Some(set.span()), &e))?;
            settings.work_from.insert(limit, line(set.span()));
        }
        for (name, set) in content.groups {
            let group = Group::ALL.into_iter().find(|g| g.name() == name.get_ref()).ok_or_else(|| {
                let names = Group::ALL.map(|g| format!("`{}`", g.name())).join(", ");
                let near = crate::text::nearest(name.get_ref(), Group::ALL.iter().map(|g| g.name()));
                let hint =
                    near.map_or_else(|| format!("available groups: {names}"), |near| format!("did you mean `{near}`?"));
                located(Some(name.span()), &format!("there is no group `{}`; {hint}", name.get_ref()))
            })?;
            settings.groups.insert(group, Sourced { from: line(set.span()), value: set.into_inner() });
        }
        let folder = path.strip_suffix(FILE_NAME).unwrap_or_default();
        let reader = policies::Read { source, files, file: id, folder, built_in: &rules::find };
        let (policies, wrong) = reader.policies(content.require, content.rego);
        load.findings.extend(wrong);
        let unknown = &mut load.findings;
        settings.rules = levels(content.rules, &policies, id, &line, unknown);
        for one in content.overrides {
            if one.reason.get_ref().trim().is_empty() {
                return Err(located(Some(one.reason.span()), "say why: the `reason` of an override must not be empty"));
            }
            let mut paths = Vec::new();
            for path in one.paths {
                let glob = Glob::new(path.get_ref()).map_err(|e| {
                    located(Some(path.span()), &format!("`{}` is not a valid pattern: {e}", path.get_ref()))
                })?;
                paths.push((path.into_inner(), glob));
            }
            settings.overrides.push(Override { paths, rules: levels(one.rules, &policies, id, &line, unknown) });
        }
        for one in content.differences {
            if one.reason.get_ref().trim().is_empty() {
                let message = "say why: the `reason` of a difference must not be empty";
                return Err(located(Some(one.reason.span()), message));
            }
            let glob = |pattern: &Spanned<String>, text: &str| {
                let wrong =
                    |e| located(Some(pattern.span()), &format!("`{}` is not a valid pattern: {e}", pattern.get_ref()));
                Glob::new(text).map_err(wrong)
            };
            let paths = one.paths.iter().map(|path| glob(path, &path.get_ref().replace('.', "/")));
            let components = one.components.iter().map(|name| glob(name, name.get_ref()));
            let (paths, components) = (paths.collect::<Result<_, _>>()?, components.collect::<Result<_, _>>()?);
            settings.limits.environments.differences.push(DeclaredDifference { paths, components });
        }
        let alike = content.environments.into_iter().map(|one| [one.left, one.right]);
        settings.limits.environments.alike.extend(alike);
        settings.policies = Arc::new(policies);
        Ok(load)
    }
}

/// The levels of rules; those of rules that do not exist are findings.
fn levels(
    set: BTreeMap<Spanned<String>, Spanned<Setting>>,
    policies: &Policies,
    file: FileId,
    line: &impl Fn(Range<usize>) -> From,
    unknown: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Sourced<Setting>> {
    let mut known = BTreeMap::new();
    for (name, setting) in set {
        if rules::find(name.get_ref()).is_none() && policies.find(name.get_ref()).is_none() {
            let known = rules::RULES.iter().copied().chain(policies.rules().map(|rule| &**rule));
            let near = crate::text::nearest(name.get_ref(), known.map(|r| r.id()));
            let label = Label::new(file, name.span().start as u32, name.span().end as u32, "");
            unknown.push(unknown_rule(name.get_ref(), near, label));
            continue;
        }
        known.insert(name.into_inner(), Sourced { from: line(setting.span()), value: setting.into_inner() });
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    fn load(files: &Files, text: &str, start: &str) -> Result<Load, String> {
        let files_of = [(FILE_NAME, text), ("a/b/c.yaml", "")];
        let source = Memory::new("test", files_of.map(|(p, t)| (p.to_owned(), t.into())).into());
        Load::find(&source, start, files)
    }

    #[test]
    fn levels_come_from_the_nearest_word() {
        let files = Files::default();
        let text = "[groups]\nhygiene = 'warning'\ncorrectness = 'warning'\n[rules]\nimport-cycle = 'off'\nduplicate-key = 'error'\n\n[[overrides]]\npaths = ['old/**']\nreason = 'it goes away'\n[overrides.rules]\nduplicate-key = 'note'\nimport-cycle = 'error'\n";
        let settings = load(&files, text, "a/b").unwrap().settings;
        let find = |rule| rules::find(rule).unwrap();
        let level = |rule, path| settings.level(find(rule), path);
        assert_eq!(level("import-cycle", "x.yaml"), None);
        assert_eq!(level("import-cycle", "old/x.yaml"), Some(Level::Error));
        assert_eq!(level("duplicate-key", "old/a/x.yaml"), Some(Level::Note));
        assert_eq!(level("duplicate-key", "x.yaml"), Some(Level::Error));
        assert_eq!(level("invalid-yaml", "x.yaml"), Some(Level::Warning));
        assert_eq!(settings.rule_level(find("duplicate-key")).from, From::File(6));
        assert_eq!(settings.rule_level(find("invalid-yaml")).from, From::File(3));
        assert!(settings.enabled().iter().any(|(r, l)| r.id == "import-cycle" && *l == Level::Error));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        let files = Files::default();
        for (text, message) in [
            ("fail-on = 'warnin'\n", "stacklint.toml:1:11: unknown value `warnin`; did you mean `warning`?"),
            ("[limits]\ntiem = 3\n", "stacklint.toml:2:1: unknown value `tiem`; did you mean `time`?"),
            ("[[variable-sets]]\n", "stacklint.toml:1:1: this must be a map of keys and values, not a list"),
            ("strict = true\nstrikt = 1\n", "stacklint.toml:2:1: unknown key `strikt`; did you mean `strict`?"),
            ("[groups]\nsloppy = 'off'\n", "stacklint.toml:2:1: there is no group `sloppy`"),
            ("[[overrides]]\npaths = ['a']\nrules = {}\nreason = ' '\n", "stacklint.toml:4:10: say why"),
            (
                "[[overrides]]\npaths = ['[a']\nrules = {}\nreason = 'x'\n",
                "stacklint.toml:2:10: `[a` is not a valid pattern",
            ),
            ("a = \n", "stacklint.toml:1:"),
        ] {
            let reported = load(&Files::default(), text, "").unwrap_err();
            assert!(reported.starts_with(message), "{reported}");
        }
        let found = load(&files, "[rules]\nduplicate-kee = 'off'\n", "").unwrap().findings;
        assert_eq!(found[0].message, "there is no rule `duplicate-kee`");
        assert_eq!(found[0].help.as_deref(), Some("did you mean `duplicate-key`?"));
    }

    #[test]
    fn without_a_file_all_is_as_it_comes() {
        let source = Memory::new("test", BTreeMap::from([("a.yaml".to_owned(), Vec::new())]));
        let load = Load::find(&source, "a/b", &Files::default()).unwrap();
        assert!(load.file.is_none());
        assert_eq!(load.settings.level(rules::find("invalid-yaml").unwrap(), "a"), Some(Level::Error));
    }
}
