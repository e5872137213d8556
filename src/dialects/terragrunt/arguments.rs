//! What a unit passes to its code beside inputs: the arguments and the environment that `extra_arguments` adds to commands.

use super::place::inside;
use super::session::Session;
use crate::paths;
use crate::terraform::evaluation::given::VariableInput;
use crate::terraform::load::names::{Syntax, is_automatic};
use crate::text::Text;
use crate::value::{Map, Value};
use std::collections::BTreeMap;

/// The prefix of environment variables that set variables.
const PREFIX: &str = "TF_VAR_";

/// Variables and files of variables in the order in which they win, and the environment of the run.
#[derive(Default)]
pub(super) struct Arguments {
    /// Those that are known. Of files, those that are there.
    pub variables: Vec<VariableInput>,
    /// What the user gives and what blocks add.
    pub env: BTreeMap<String, String>,
}

impl Arguments {
    /// The arguments of the unit of a folder.
    pub(super) fn of(session: &Session<'_>, folder: &str, parts: &Map) -> Self {
        let mut all = Arguments { variables: Vec::new(), env: session.env.clone() };
        let reader = &session.loader.modules.loader.reader;
        let file = |all: &mut Arguments, path: &str| {
            let path = inside(folder, path).filter(|path| reader.resolve(path).is_ok());
            all.variables.extend(path.map(|path| VariableInput::File { path }));
        };
        let blocks = parts.get("terraform").and_then(|terraform| terraform.get("extra_arguments"));
        for block in blocks.and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
            let texts = |key: &str| {
                let items = block.value.get(key).and_then(Value::as_list).map_or(&[][..], |items| items);
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
            };
            for entry in block.value.get("env_vars").and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
                all.env.insert(entry.key.to_string(), entry.value.as_str().unwrap_or_default().to_owned());
            }
            for argument in texts("arguments") {
                if let Some(path) = argument.strip_prefix("-var-file=") {
                    file(&mut all, path);
                } else if let Some((name, text)) = argument.strip_prefix("-var=").and_then(|pair| pair.split_once('='))
                {
                    all.variables.push(VariableInput::Value { name: name.to_owned(), text: text.to_owned() });
                }
            }
            let named = [texts("required_var_files"), texts("optional_var_files")].concat();
            named.iter().for_each(|path| file(&mut all, path));
        }
        all
    }

    /// The names of the variables that are set in another way than by inputs: by arguments, the environment, and files of values
    /// beside the unit.
    pub(super) fn names(session: &Session<'_>, folder: &str, parts: &Map) -> Vec<Text> {
        let all = Arguments::of(session, folder, parts);
        let loader = &session.loader.modules.loader;
        let mut names: Vec<Text> =
            all.env.keys().filter_map(|name| name.strip_prefix(PREFIX)).map(Text::from).collect();
        let own = loader.reader.children(folder).into_iter().filter(|(name, _)| is_automatic(name));
        let mut files: Vec<String> = own.map(|(name, _)| paths::join(folder, name)).collect();
        for input in all.variables {
            match input {
                VariableInput::Value { name, .. } => names.push(name.into()),
                VariableInput::File { path } => files.push(path),
                VariableInput::Text { .. } => {}
            }
        }
        for path in files {
            let syntax = if path.ends_with(".json") { Syntax::JsonValues } else { Syntax::Values };
            if let Ok(file) = loader.load(paths::parent(&path), paths::name(&path), syntax) {
                names.extend(file.parsed.body.attributes.iter().map(|attribute| Text::clone(&attribute.name.text)));
            }
        }
        names
    }
}
