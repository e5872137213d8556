//! What a unit passes to its code beside inputs: the arguments and the environment that `extra_arguments` adds to commands.

use crate::dialects::terragrunt::place::inside;
use crate::dialects::terragrunt::session::Session;
use crate::paths;
use crate::source::ResolveError;
use crate::terraform::evaluation::given::VariableInput;
use crate::terraform::load::names::{Syntax, is_automatic};
use crate::text::Text;
use crate::value::{Data, Map, Value};
use std::collections::BTreeMap;

/// The prefix of environment variables that set variables.
const PREFIX: &str = "TF_VAR_";
/// The option that names a file of variables.
pub(super) const VAR_FILE: &str = "-var-file=";

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
        let blocks = parts.get("terraform").and_then(|terraform| terraform.get("extra_arguments"));
        for block in blocks.and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
            let variables = block.value.get("env_vars");
            for entry in variables.and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
                all.env_var(&entry.key, &entry.value);
            }
            let lists = ["arguments", "required_var_files", "optional_var_files"].map(|key| block.value.get(key));
            for value in variables.into_iter().chain(lists.into_iter().flatten()) {
                if let Data::Unknown(unknown) = &value.data {
                    all.unknown(&unknown.text);
                }
            }
            let [arguments, required, optional] =
                lists.map(|list| list.and_then(Value::as_list).map_or(&[][..], |l| l));
            arguments.iter().for_each(|argument| all.argument(session, folder, argument));
            required.iter().chain(optional).for_each(|path| all.file(session, folder, path));
        }
        all
    }

    /// Something of which only the text is known may set any variable.
    fn unknown(&mut self, text: &str) {
        self.variables.push(VariableInput::Unknown { name: None, what: format!("`{text}`") });
    }

    fn env_var(&mut self, name: &str, value: &Value) {
        match (&value.data, name.strip_prefix(PREFIX)) {
            (Data::Unknown(unknown), Some(variable)) => {
                let what = format!("`{}`", unknown.text);
                self.variables.push(VariableInput::Unknown { name: Some(variable.to_owned()), what });
            }
            (Data::Str(text), _) => _ = self.env.insert(name.to_owned(), text.to_string()),
            _ => _ = self.env.insert(name.to_owned(), serde_json::to_string(value).unwrap_or_default()),
        }
    }

    fn argument(&mut self, session: &Session<'_>, folder: &str, argument: &Value) {
        let text = match &argument.data {
            Data::Str(text) => text,
            // Of other options the beginning shows that they set no variable.
            Data::Unknown(unknown) if is_other(&unknown.text) => return,
            Data::Unknown(unknown) => return self.unknown(&unknown.text),
            _ => return,
        };
        if let Some(path) = text.strip_prefix(VAR_FILE) {
            self.file(session, folder, &Value::str(path));
        } else if let Some((name, text)) = text.strip_prefix("-var=").and_then(|pair| pair.split_once('=')) {
            self.variables.push(VariableInput::Value { name: name.to_owned(), text: text.to_owned() });
        }
    }

    /// A file of variables. One that is not there is left out; one whose content is not known may set any variable.
    fn file(&mut self, session: &Session<'_>, folder: &str, path: &Value) {
        let path = match &path.data {
            Data::Str(path) => path,
            Data::Unknown(unknown) => return self.unknown(&unknown.text),
            _ => return,
        };
        match inside(folder, path) {
            Some(inside) => match session.loader.modules.loader.reader.resolve(&inside) {
                Err(ResolveError::Missing) => {}
                _ => self.variables.push(VariableInput::File { path: inside }),
            },
            None => self.unknown(path),
        }
    }

    /// The names of the variables that are set in another way than by inputs: by arguments, the environment, and files of values
    /// beside the unit; and whether there may be others.
    pub(super) fn names(session: &Session<'_>, folder: &str, parts: &Map) -> (Vec<Text>, bool) {
        let mut is_open = false;
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
                VariableInput::Unknown { name: Some(name), .. } => names.push(name.into()),
                VariableInput::Unknown { name: None, .. } => is_open = true,
                VariableInput::Text { .. } => {}
            }
        }
        for path in files {
            let syntax = if path.ends_with(".json") { Syntax::JsonValues } else { Syntax::Values };
            match loader.load(paths::parent(&path), paths::name(&path), syntax) {
                Ok(file) => {
                    names.extend(file.parsed.body.attributes.iter().map(|attribute| Text::clone(&attribute.name.text)));
                }
                Err(_) => is_open = true,
            }
        }
        (names, is_open)
    }
}

/// Whether an option of which only the text is known is none for variables.
pub(super) fn is_other(text: &str) -> bool {
    let text = text.trim_start_matches('"');
    text.starts_with('-') && !text.starts_with("-var") && !text.starts_with("-$")
}
