//! The JSON Schema of `stacklint.toml`, made from the registry of rules.

use crate::limits::Limit;
use crate::rules::{Group, RULES};
use serde_json::{Map, Value, json};

/// Returns the schema, as stored in `schemas/stacklint.json`.
pub(crate) fn schema() -> Value {
    let levels = json!({ "$ref": "#/$defs/setting" });
    let groups: Map<String, Value> = Group::ALL.iter().map(|g| (g.name().to_owned(), levels.clone())).collect();
    let rule = |rule: &&crate::rules::Rule| {
        let level = rule.default_level().map_or("off", crate::diagnostic::Level::name);
        let words = json!({ "$ref": "#/$defs/setting", "description": rule.summary(), "default": level });
        (rule.id().to_owned(), words)
    };
    let rules: Map<String, Value> = RULES.iter().map(rule).collect();
    let limit = |limit: Limit| {
        let (least, most) = limit.range();
        let summary = format!("The most {}.", limit.summary());
        let words = json!({
            "description": summary, "type": "integer", "minimum": least, "maximum": most, "default": limit.default_value(),
        });
        (limit.name().to_owned(), words)
    };
    let limits: Map<String, Value> = Limit::ALL.into_iter().map(limit).collect();
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://stacklint.dev/schemas/stacklint.json",
        "title": "Settings of stacklint",
        "type": "object",
        "properties": {
            "fail-on": {
                "description": "Which findings fail a run: dangers and errors, only errors, or all from a level on.",
                "enum": ["danger", "error", "warning", "note", "never"],
                "default": "danger",
            },
            "min-level": {
                "description": "Findings below this level are not reported.",
                "enum": ["note", "warning", "error", "danger"],
                "default": "note",
            },
            "accept": {
                "description": "Dangers that do not fail a run: `RULE`, or `RULE=PATTERN` for stacks that match. A comparison reads them from the base.",
                "type": "array",
                "items": { "type": "string" },
            },
            "strict": {
                "description": "Whether what could not be analysed fails the run.",
                "type": "boolean",
                "default": false,
            },
            "require-reasons": {
                "description": "Whether a comment that suppresses findings must give a reason.",
                "type": "boolean",
                "default": false,
            },
            "projects": {
                "description": "Projects to analyze when a run starts outside of all projects: patterns of folders, relative to this file. Default: all projects that are found.",
                "type": "array",
                "items": { "type": "string" },
            },
            "roots": {
                "description": "The folders that are root modules: patterns, relative to this file. Without it they are found by what is in them.",
                "type": "array",
                "items": { "type": "string" },
            },
            "var-files": {
                "description": "Files of values for every root module that has them: relative to its folder, or to the root of the repository if they begin with `/`. `{root}` stands for the name of the folder of the root module.",
                "type": "array",
                "items": { "type": "string" },
            },
            "provider-schema": {
                "description": "A file with the schemas of providers, as `providers schema -json` prints them, by its path from the folder of this one: arguments and blocks of resources are checked against it, and what providers hide is masked.",
                "type": "string",
            },
            "workspaces": {
                "description": "The workspaces in which each root module is resolved; several make a stack each.",
                "type": "array",
                "items": { "type": "string" },
            },
            "variable-sets": {
                "description": "Sets of values by name: each root module is resolved with each set whose files it has.",
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "var-files": {
                            "description": "Files of values, as above.",
                            "type": "array",
                            "items": { "type": "string" },
                        },
                        "variables": {
                            "description": "Values by the name of their variable, as on the command line.",
                            "type": "object",
                            "additionalProperties": { "type": ["string", "boolean", "number"] },
                        },
                        "workspace": { "description": "The workspace.", "type": "string" },
                    },
                    "additionalProperties": false,
                },
            },
            "dialect": {
                "description": "The tool that runs the root modules, if it is not the one that their dialect is named after: `terraform`.",
                "type": "string",
            },
            "inputs": {
                "description": "Files that the projects read and that are never committed. Where a revision has one, it is read as it is. A comparison uses those of the older revision.",
                "type": "object",
                "properties": {
                    "files": {
                        "description": "Files by path, each with the path of a committed file whose content it gets; both relative to this file.",
                        "type": "object",
                        "additionalProperties": { "type": "string" },
                    },
                    "generated": {
                        "description": "Patterns of generated files as in `.gitignore`, relative to this file: what they set is unknown.",
                        "type": "array",
                        "items": { "type": "string" },
                    },
                },
                "additionalProperties": false,
            },
            "baseline": {
                "description": "A baseline: a file of existing findings that are not reported, relative to this file. `--write-baseline` writes it.",
                "type": "string",
            },
            "max-components": {
                "description": "Maximum number of components that one edited line may change before `wide-blast-radius` reports it.",
                "type": "integer",
                "minimum": 0,
                "default": 50,
            },
            "max-imports": {
                "description": "Maximum number of files that one import may match before `broad-glob-import`, which is off by default, reports it.",
                "type": "integer",
                "minimum": 0,
                "default": 20,
            },
            "max-slow-calls": {
                "description": "Maximum number of times that one line may run a slow function before `slow-function`, which is off by default, reports it.",
                "type": "integer",
                "minimum": 0,
                "default": 20,
            },
            "protected": {
                "description": "Patterns of stack names in which `wide-blast-radius` reports every change.",
                "type": "array",
                "items": { "type": "string" },
            },
            "variables": {
                "description": "Environment variables that are set where the projects are deployed. If any are listed, others are reported as not set. `--env-file` adds to them.",
                "type": "array",
                "items": { "type": "string" },
            },
            "limits": {
                "description": "Limits of sizes and work. A comparison uses those of the older revision.",
                "type": "object",
                "properties": limits,
                "additionalProperties": false,
            },
            "groups": {
                "description": "Levels of all rules of a group.",
                "type": "object",
                "properties": groups,
                "additionalProperties": false,
            },
            "rules": { "$ref": "#/$defs/rules", "description": "Levels of single rules." },
            "require": requirements(),
            "rego": rego(),
            "environments": {
                "description": "Environments that should be alike, named as for `stacklint compare`: `environment-drift`, which is off by default, reports what differs.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "left": { "description": "The left one.", "type": "string", "minLength": 1 },
                        "right": { "description": "The right one.", "type": "string", "minLength": 1 },
                    },
                    "required": ["left", "right"],
                    "additionalProperties": false,
                },
            },
            "differences": {
                "description": "Differences between environments that are meant: `stacklint compare` and `environment-drift` do not list them.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "paths": {
                            "description": "Places in components and what is below them: keys with dots between them, with `*` and `**`.",
                            "type": "array",
                            "items": { "type": "string" },
                        },
                        "components": {
                            "description": "Patterns of names of components; without any, all.",
                            "type": "array",
                            "items": { "type": "string" },
                        },
                        "reason": { "description": "Why.", "type": "string", "minLength": 1 },
                    },
                    "required": ["paths", "reason"],
                    "additionalProperties": false,
                },
            },
            "overrides": {
                "description": "Levels for some paths. If several match a file, the last one applies.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "paths": {
                            "description": "Patterns from the root of the repository; `**` is any number of folders.",
                            "type": "array",
                            "items": { "type": "string" },
                        },
                        "rules": { "$ref": "#/$defs/rules" },
                        "reason": { "description": "Why.", "type": "string", "minLength": 1 },
                    },
                    "required": ["paths", "rules", "reason"],
                    "additionalProperties": false,
                },
            },
        },
        "additionalProperties": false,
        "$defs": {
            "setting": { "enum": ["off", "note", "warning", "error", "danger"] },
            "rules": {
                "type": "object",
                "properties": rules,
                // The ids of policies.
                "additionalProperties": false,
                "patternProperties": { "^[a-z0-9-]+$": { "$ref": "#/$defs/setting" } },
            },
        },
    });
    if let Value::Object(examples) = examples() {
        for (name, example) in examples {
            schema["properties"][name]["examples"] = json!([example]);
        }
    }
    schema
}

/// An example of each setting, by its name. They are shown in docs/settings.md.
fn examples() -> Value {
    serde_json::from_str(include_str!("examples.json")).unwrap_or_default()
}

/// The tables `[[require]]`.
fn requirements() -> Value {
    let expression = |words: &str| json!({ "description": words, "type": "string", "minLength": 1, "maxLength": 4096 });
    policies(
        "Policies as expressions in CEL over `component`, `change` and `code`; see docs/policies.md.",
        json!({
            "where": expression("The components or changes that it applies to. Default: all."),
            "that": expression("What must be true."),
            "over": {
                "description": "What it is evaluated for. Default: changes if it reads `change`, otherwise components.",
                "enum": ["component", "change"],
            },
            "path": {
                "description": "The value of the component that findings point at. Default: what `that` reads.",
                "type": "string",
            },
        }),
        &["id", "that", "message"],
    )
}

/// The tables `[[rego]]`.
fn rego() -> Value {
    policies(
        "Policies in Rego with `deny`, `violation` or `warn`; see docs/policies.md.",
        json!({
            "file": { "description": "The file with the policy, relative to this file.", "type": "string" },
            "over": {
                "description": "What the policy is evaluated for: each component, each change, or all components at once.",
                "enum": ["component", "change", "components"],
                "default": "component",
            },
            "where": {
                "description": "A condition in CEL: the components or changes that it applies to. Default: all.",
                "type": "string",
                "minLength": 1,
                "maxLength": 4096,
            },
        }),
        &["id", "file"],
    )
}

/// Tables of policies, with what all of them have.
fn policies(description: &str, own: Value, required: &[&str]) -> Value {
    let text = |words: &str| json!({ "description": words, "type": "string", "minLength": 1, "maxLength": 1000 });
    let mut properties = json!({
        "id": {
            "description": "The id of its findings; it must differ from the rules of stacklint.",
            "type": "string",
            "pattern": "^[a-z0-9-]{1,100}$",
        },
        "message": text("What a finding says."),
        "help": text("What to do about it."),
        "level": { "description": "The level of its findings.", "enum": ["note", "warning", "error"], "default": "error" },
    });
    if let (Some(all), Value::Object(own)) = (properties.as_object_mut(), own) {
        all.extend(own);
    }
    json!({
        "description": description,
        "type": "array",
        "maxItems": 200,
        "items": { "type": "object", "properties": properties, "required": required, "additionalProperties": false },
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test compares with a file and writes it when asked to")]
mod tests {
    use super::*;

    #[test]
    fn the_published_schema_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/stacklint.json");
        let mut text = serde_json::to_string_pretty(&schema()).unwrap();
        text.push('\n');
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        let published = std::fs::read_to_string(path).unwrap_or_default();
        assert!(published == text, "{path} is stale: run `UPDATE_SCHEMA=1 cargo test --lib settings::schema`");
    }

    #[test]
    fn it_takes_what_the_reader_takes() {
        let validator = jsonschema::draft7::new(&schema()).unwrap();
        let good = "fail-on = 'never'\nstrict = true\nrequire-reasons = true\nmin-level = 'warning'\nbaseline = 'b.json'\nprojects = ['infra', 'platform/*']\nmax-components = 10\nmax-imports = 10\nmax-slow-calls = 10\nprotected = ['*-prod']\nvariables = ['REGION']\n[groups]\npreview = 'note'\n[rules]\ninvalid-yaml = 'off'\n[[overrides]]\npaths = ['a/**']\nrules = {duplicate-key = 'warning'}\nreason = 'x'\n";
        let read = |text: &str| toml::from_str::<Value>(text).unwrap();
        assert!(
            validator.is_valid(&read(good)),
            "{:?}",
            validator.iter_errors(&read(good)).next().map(|e| e.to_string())
        );
        for (name, setting) in schema()["properties"].as_object().unwrap() {
            let example = &setting["examples"][0];
            assert!(validator.is_valid(&json!({ name: example })), "{name}: {example}");
        }
        let policies = "[[require]]\nid = 'zones'\nwhere = 'has(component.vars.zones)'\nthat = 'true'\nmessage = 'm'\nhelp = 'h'\nlevel = 'note'\npath = 'vars.zones'\n[[rego]]\nid = 'r'\nfile = 'r.rego'\nover = 'components'\n[rules]\nzones = 'off'\n";
        assert!(validator.is_valid(&read(policies)));
        for bad in
            ["[[require]]\nid = 'a'", "[[rego]]\nid = 'A'\nfile = 'x'", "[[rego]]\nid = 'a'\nfile = 'x'\nover = 'all'"]
        {
            assert!(!validator.is_valid(&read(bad)), "{bad}");
        }
        for bad in ["fail-on = 'warn'", "[rules]\nNoSuchRule = 'off'", "[groups]\nx = 'off'", "other = 1"] {
            assert!(!validator.is_valid(&read(bad)), "{bad}");
        }
    }
}
