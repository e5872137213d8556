//! Random configurations against a small evaluation of their own, and ways to write the same in other words.

mod model;

use super::OpenTofu;
use crate::dialects::{Dialect, Project, Scope};
use crate::files::Files;
use crate::fuzz::Dice;
use crate::source::Memory;
use model::Style;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

const PLAIN: Style = Style { local: "l", is_split: false, has_values: false };

/// The resources by address; an error if something is wrong.
fn resources(texts: &BTreeMap<String, String>) -> Result<BTreeMap<String, Value>, String> {
    let bytes = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let (source, files) = (Memory::new("memory", bytes), Files::default());
    let resolution = OpenTofu::default().resolve(&source, &Project::default(), &files, Scope::All);
    let wrong: Vec<&str> = resolution.findings.iter().filter(|f| f.is_breaking).map(|f| f.message.as_str()).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let components = resolution.units.iter().flat_map(|unit| &unit.components).filter(|c| &*c.kind == "resource");
    let json = |value| serde_json::to_value(value).map_err(|error| error.to_string());
    components.map(|c| Ok((c.name.to_string(), json(&c.value)?))).collect()
}

proptest! {
    #![proptest_config(crate::fuzz::cases(150))]

    /// Instances and their arguments are those of the model, however the project is written.
    #[test]
    fn resources_are_those_of_the_model(seed in any::<u64>()) {
        let project = Dice(seed).project();
        let expected = project.expected();
        let styles = [
            PLAIN,
            Style { local: "other_", ..PLAIN },
            Style { is_split: true, ..PLAIN },
            Style { has_values: true, ..PLAIN },
        ];
        for style in styles {
            let files = project.files(&style);
            let found = resources(&files);
            let written = || files.iter().map(|(path, text)| format!("# {path}\n{text}")).collect::<String>();
            prop_assert_eq!(found.as_ref(), Ok(&expected), "seed {}\n{}", seed, written());
        }
    }
}

#[test]
fn the_model_makes_instances_of_all_forms() {
    let (mut addresses, mut parts) = (String::new(), 0);
    for seed in 0..40 {
        for (address, value) in Dice(seed).project().expected() {
            addresses += &format!("{address}\n");
            parts += value["part"].as_array().map_or(0, Vec::len);
        }
    }
    for form in ["x_y.r0\n", "x_y.r0[0]", "x_y.r1[\"", "module.m.x_y", "module.m[0].x_y", "module.m[\"a\"].x_y"] {
        assert!(addresses.contains(form), "{form}");
    }
    assert!(parts > 20, "{parts}");
}
