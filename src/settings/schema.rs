//! The JSON Schema of `stacklint.toml`, made from the registry of rules.

use crate::limits::Limit;
use crate::rules::{Group, RULES};
use serde_json::{Map, Value, json};

/// The schema, as it is kept in `schemas/stacklint.json`.
pub fn schema() -> Value {
    let levels = json!({ "$ref": "#/$defs/setting" });
    let groups: Map<String, Value> = Group::ALL.iter().map(|g| (g.name().to_owned(), levels.clone())).collect();
    let rule = |rule: &&crate::rules::Rule| {
        let level = rule.default_level().map_or("off", crate::diagnostic::Level::name);
        let words = json!({ "$ref": "#/$defs/setting", "description": rule.summary, "default": level });
        (rule.id.to_owned(), words)
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
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://stacklint.dev/schemas/stacklint.json",
        "title": "Settings of stacklint",
        "type": "object",
        "properties": {
            "fail-on": {
                "description": "From which level on findings fail a run.",
                "enum": ["error", "warning", "note", "never"],
                "default": "error",
            },
            "min-level": {
                "description": "Findings below this level are not reported.",
                "enum": ["note", "warning", "error"],
                "default": "note",
            },
            "strict": {
                "description": "Whether what could not be analysed fails the run.",
                "type": "boolean",
                "default": false,
            },
            "require-reasons": {
                "description": "Whether a comment that silences findings must say why.",
                "type": "boolean",
                "default": false,
            },
            "projects": {
                "description": "The projects that are analyzed, wherever a run starts that is in none of them: patterns of their folders, relative to this file. Without it, all that are found.",
                "type": "array",
                "items": { "type": "string" },
            },
            "roots": {
                "description": "The folders that are root modules: patterns, relative to this file. Without it they are found by what is in them.",
                "type": "array",
                "items": { "type": "string" },
            },
            "var-files": {
                "description": "Files of values for every root module that has them: relative to its folder, or to the root of the repository if they begin with `/`.",
                "type": "array",
                "items": { "type": "string" },
            },
            "workspaces": {
                "description": "The workspaces in which each root module is resolved; several make a stack each.",
                "type": "array",
                "items": { "type": "string" },
            },
            "variable-sets": {
                "description": "Sets of values by name: each root module is resolved with each set that it has the files of.",
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
                "description": "The tool that runs the code of root modules, where it is not the one that its dialect is named after: `terraform`.",
                "type": "string",
            },
            "baseline": {
                "description": "A file of known findings that are not reported, relative to this file. `--write-baseline` writes it.",
                "type": "string",
            },
            "max-components": {
                "description": "The most components that one edited line may change before `wide-blast-radius` reports it.",
                "type": "integer",
                "minimum": 0,
                "default": 50,
            },
            "max-imports": {
                "description": "The most files that one import may stand for before `broad-glob-import`, which is off by default, reports it.",
                "type": "integer",
                "minimum": 0,
                "default": 20,
            },
            "protected": {
                "description": "Patterns of names of stacks in which `wide-blast-radius` reports every change.",
                "type": "array",
                "items": { "type": "string" },
            },
            "variables": {
                "description": "Environment variables that are set where the projects are deployed. Where they are listed, others are reported as not set. `--env-file` adds to them.",
                "type": "array",
                "items": { "type": "string" },
            },
            "limits": {
                "description": "How much of anything is taken on. Between two states those of the older one count.",
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
            "overrides": {
                "description": "Levels for some paths. Of several that match a file the last one counts.",
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
            "setting": { "enum": ["off", "note", "warning", "error"] },
            "rules": { "type": "object", "properties": rules, "additionalProperties": false },
        },
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
        let good = "fail-on = 'never'\nstrict = true\nrequire-reasons = true\nmin-level = 'warning'\nbaseline = 'b.json'\nprojects = ['infra', 'platform/*']\nmax-components = 10\nmax-imports = 10\nprotected = ['*-prod']\nvariables = ['REGION']\n[groups]\npreview = 'note'\n[rules]\ninvalid-yaml = 'off'\n[[overrides]]\npaths = ['a/**']\nrules = {duplicate-key = 'warning'}\nreason = 'x'\n";
        let read = |text: &str| toml::from_str::<Value>(text).unwrap();
        assert!(
            validator.is_valid(&read(good)),
            "{:?}",
            validator.iter_errors(&read(good)).next().map(|e| e.to_string())
        );
        for bad in ["fail-on = 'warn'", "[rules]\nno-such-rule = 'off'", "[groups]\nx = 'off'", "other = 1"] {
            assert!(!validator.is_valid(&read(bad)), "{bad}");
        }
    }
}
