//! Policies as `stacklint.toml` has them.

use super::cel::Expression;
use super::rego::Module;

use super::{Body, Policies, Policy, Subject};
use crate::diagnostic::rules::{INVALID_POLICY, LIMIT_EXCEEDED};
use crate::diagnostic::{Diagnostic, Group, Label, Level, Rule, RuleRef};
use crate::files::Files;
use crate::source::Source;
use crate::text::Text;
use crate::value::FileId;
use serde::Deserialize;
use std::sync::Arc;
use toml::Spanned;

/// The maximum number of policies of one file.
const MAX_POLICIES: usize = 200;

/// The maximum number of bytes of an id, a message or a help.
const MAX_WORDS: usize = 1_000;

/// A table `[[require]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Require {
    id: Spanned<String>,
    over: Option<Over>,
    r#where: Option<Spanned<String>>,
    that: Spanned<String>,
    message: String,
    help: Option<String>,
    level: Option<PolicyLevel>,
    path: Option<Spanned<String>>,
}

/// A table `[[rego]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rego {
    id: Spanned<String>,
    file: Spanned<String>,
    over: Option<Over>,
    r#where: Option<Spanned<String>>,
    message: Option<String>,
    help: Option<String>,
    level: Option<PolicyLevel>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PolicyLevel {
    Note,
    Warning,
    Error,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Over {
    Component,
    Change,
    Components,
}

impl PolicyLevel {
    fn level(self) -> Level {
        match self {
            PolicyLevel::Note => Level::Note,
            PolicyLevel::Warning => Level::Warning,
            PolicyLevel::Error => Level::Error,
        }
    }
}

/// The context for reading the tables of policies.
pub(crate) struct Read<'a> {
    /// The revision that the settings are of.
    pub(crate) source: &'a dyn Source,
    pub(crate) files: &'a Files,
    /// The settings file.
    pub(crate) file: FileId,
    /// The folder of the settings file: empty, or ending with `/`.
    pub(crate) folder: &'a str,
    /// The rule of stacklint with an id.
    pub(crate) built_in: &'a dyn Fn(&str) -> Option<&'static Rule>,
}

impl Read<'_> {
    /// The policies, and what is wrong with those that cannot be used.
    pub(crate) fn policies(&self, require: Vec<Require>, rego: Vec<Rego>) -> (Policies, Vec<Diagnostic>) {
        let (mut policies, mut wrong) = (Policies::default(), Vec::new());
        let total = require.len() + rego.len();
        let requirements = require.into_iter().map(|r| (r.id.clone(), Table::Require(r)));
        let all = requirements.chain(rego.into_iter().map(|r| (r.id.clone(), Table::Rego(r))));
        for (id, table) in all.take(MAX_POLICIES) {
            if let Table::Rego(rego) = &table {
                policies.files.push(format!("{}{}", self.folder, rego.file.get_ref()));
            }
            let made = self.named(&id, &policies).and_then(|()| match table {
                Table::Require(require) => self.requirement(require),
                Table::Rego(rego) => self.rego(rego),
            });
            let made = made.and_then(|policy| self.warned(policy, &policies));
            match made {
                Ok(policy) => policies.all.push(policy),
                Err((label, message)) => {
                    let message = format!("the policy `{}` cannot be used: {message}", shortened(id.get_ref()));
                    wrong.push(Diagnostic::new(&INVALID_POLICY, message, label).token(id.get_ref()));
                }
            }
        }
        if total > MAX_POLICIES {
            let message = format!("there are {total} policies, and at most {MAX_POLICIES} are evaluated");
            wrong.push(Diagnostic::new(&LIMIT_EXCEEDED, message, Label::new(self.file, 0, 0, "")));
        }
        policies.files.sort();
        policies.files.dedup();
        (policies, wrong)
    }

    fn label<T>(&self, at: &Spanned<T>) -> Label {
        Label::new(self.file, at.span().start as u32, at.span().end as u32, "")
    }

    /// Whether an id can be that of a policy.
    fn named(&self, id: &Spanned<String>, known: &Policies) -> Result<(), (Label, String)> {
        let name = id.get_ref();
        let is_word = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let wrong = if (self.built_in)(name).is_some() {
            "a rule of stacklint has this id"
        } else if known.find(name).is_some() {
            "another policy has this id"
        } else if name.is_empty() || name.len() > 100 || !name.bytes().all(is_word) {
            "an id consists of lower-case letters, digits and hyphens"
        } else {
            return Ok(());
        };
        Err((self.label(id), wrong.to_owned()))
    }

    /// Returns the policy, if the id of its warnings is not in use.
    fn warned(&self, policy: Policy, known: &Policies) -> Result<Policy, (Label, String)> {
        let is_taken = |rule: &Rule| (self.built_in)(rule.id()).is_some() || known.find(rule.id()).is_some();
        match policy.warns.as_ref().filter(|rule| is_taken(rule)) {
            Some(rule) => {
                let message = format!("its warnings have the id `{}`, which another rule has", rule.id());
                Err((policy.place, message))
            }
            None => Ok(policy),
        }
    }

    fn expression(&self, text: &Spanned<String>, variables: &[&str]) -> Result<Expression, (Label, String)> {
        Expression::parse(text.get_ref(), variables).map_err(|message| (self.label(text), message))
    }

    fn requirement(&self, table: Require) -> Result<Policy, (Label, String)> {
        let place = self.label(&table.id);
        let variables = ["component", "change", "code"];
        let applies = table.r#where.as_ref().map(|text| self.expression(text, &variables)).transpose()?;
        let that = self.expression(&table.that, &variables)?;
        let reads_change = that.reads("change") || applies.as_ref().is_some_and(|applies| applies.reads("change"));
        let subject = match table.over {
            Some(Over::Components) => {
                return Err((
                    place,
                    "`[[require]]` is evaluated for one component or change; use `[[rego]]` for all at once".to_owned(),
                ));
            }
            Some(Over::Component) if reads_change => {
                return Err((place, "it reads `change`, so it is `over = \"change\"`".to_owned()));
            }
            Some(Over::Change) => Subject::Change,
            None if reads_change => Subject::Change,
            Some(Over::Component) | None => Subject::Component,
        };
        let path = table.path.as_ref().map(|path| path.get_ref().split('.').map(str::to_owned).collect());
        let level = table.level.map_or(Level::Error, PolicyLevel::level);
        let mut page = format!("# {}\n\n{}\n\n## Requirement\n\n```cel\n", table.id.get_ref(), table.message.trim());
        if let Some(text) = &table.r#where {
            page.push_str(&format!("where  {}\n", text.get_ref().trim()));
        }
        page.push_str(&format!("that   {}\n```\n", table.that.get_ref().trim()));
        let message = self.words(&table.message, &place)?;
        let help = table.help.as_ref().map(|help| self.words(help, &place)).transpose()?;
        let rule = self.rule(table.id.get_ref(), level, &message, page, help.as_deref());
        let text = format!("{page}{level:?}{path:?}{subject:?}", page = rule.page());
        Ok(Policy { rule, warns: None, place, subject, applies, body: Body::That(that), message, help, path, text })
    }

    fn rego(&self, table: Rego) -> Result<Policy, (Label, String)> {
        let place = self.label(&table.id);
        let subject = match table.over {
            None | Some(Over::Component) => Subject::Component,
            Some(Over::Change) => Subject::Change,
            Some(Over::Components) => Subject::Components,
        };
        let variables: &[&str] =
            if subject == Subject::Change { &["component", "change", "code"] } else { &["component", "code"] };
        let applies = table.r#where.as_ref().map(|text| self.expression(text, variables)).transpose()?;
        let path = format!("{}{}", self.folder, table.file.get_ref());
        let at_file = |message: String| (self.label(&table.file), message);
        let text = self.text(&path).map_err(&at_file)?;
        let module = Module::parse(&path, &text, subject).map_err(&at_file)?;
        let level = table.level.map_or(Level::Error, PolicyLevel::level);
        let summary = table.message.clone().unwrap_or_else(|| format!("what {path} denies"));
        let message = self.words(&summary, &place)?;
        let help = table.help.as_ref().map(|help| self.words(help, &place)).transpose()?;
        let page =
            |id: &str| format!("# {id}\n\n{message}\n\n## Policy\n\n`{path}`:\n\n```rego\n{}\n```\n", text.trim_end());
        let id = table.id.get_ref();
        let rule = self.rule(id, level, &message, page(id), help.as_deref());
        let warning = format!("{id}-warning");
        let warns = module.warns().then(|| {
            let summary = format!("{message} (warnings)");
            self.rule(&warning, level.min(Level::Warning), &summary, page(&warning), help.as_deref())
        });
        let applied = table.r#where.as_ref().map(|text| text.get_ref().clone());
        let text = format!("{}{level:?}{applied:?}{subject:?}", rule.page());
        let body = Body::Rego(Arc::new(module));
        Ok(Policy { rule, warns, place, subject, applies, body, message, help, path: None, text })
    }

    fn rule(&self, id: &str, level: Level, summary: &str, mut page: String, help: Option<&str>) -> RuleRef {
        if let Some(help) = help {
            page.push_str(&format!("\n## What to do\n\n{help}\n"));
        }
        page.push_str(&format!("\n`{}` sets this policy.\n", self.files.get(self.file).path));
        let summary = summary.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
        RuleRef::Policy(Arc::new(Rule {
            id: id.to_owned().into(),
            group: Group::Policy,
            level: Some(level),
            since: "custom",
            summary: summary.into(),
            page: page.into(),
        }))
    }

    fn words(&self, text: &str, place: &Label) -> Result<String, (Label, String)> {
        let text = text.trim();
        let wrong = if text.is_empty() {
            "its message is empty".to_owned()
        } else if text.len() > MAX_WORDS {
            format!("its message or help has more than {MAX_WORDS} bytes")
        } else {
            return Ok(text.to_owned());
        };
        Err((place.clone(), wrong))
    }

    /// The text of a file with a policy.
    fn text(&self, path: &str) -> Result<Text, String> {
        let entry = self.source.listing().resolve(path).map_err(|_| format!("there is no file {path}"))?;
        let bytes = self.source.read(entry).map_err(|e| e.to_string())?;
        let text = std::str::from_utf8(&bytes).map_err(|_| format!("{path} is not UTF-8"))?;
        let id = self.files.add(path, &entry.id.to_string(), || Text::from(text));
        Ok(Text::clone(&self.files.get(id).text))
    }
}

enum Table {
    Require(Require),
    Rego(Rego),
}

/// Shortens user input for a message.
fn shortened(text: &str) -> String {
    if text.chars().count() > 100 {
        format!("{}…", text.chars().take(99).collect::<String>())
    } else {
        text.to_owned()
    }
}
