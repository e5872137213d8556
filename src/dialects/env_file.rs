//! Environment variables as users write them: `NAME=VALUE`, on the command line or a line each in a file.

use std::collections::{BTreeMap, BTreeSet};

/// The variables of a file with one `NAME=VALUE`, or one `NAME`, per line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EnvFile {
    /// The values of the variables that have one.
    pub values: BTreeMap<String, String>,
    /// The names of all variables.
    pub names: BTreeSet<String>,
}

impl EnvFile {
    /// Reads the text of a file. Empty lines and lines that start with `#` are skipped; `export ` before a name and
    /// quotes around a value are dropped. A later line replaces an earlier one.
    ///
    /// # Errors
    /// The first line of another form, with its number.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut file = EnvFile::default();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
            if line.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                file.names.insert(line.to_owned());
                continue;
            }
            let (name, value) = variable(line).map_err(|e| format!("line {}: {e}", i + 1))?;
            file.names.insert(name.clone());
            file.values.insert(name, value);
        }
        Ok(file)
    }
}

/// The name and the value of `NAME=VALUE`, both as written.
///
/// # Errors
/// There is no name or no `=`, or white space in the name.
pub(crate) fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("`{name}` is not a variable name"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// The name and the value of `NAME = "VALUE"`, without the spaces and quotes around them.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    let (name, value) = assignment(&format!("{}={value}", name.trim()))?;
    let value = unquoted(&value).to_owned();
    Ok((name, value))
}

/// A value without the spaces around it, and without the quotes around what is left.
pub(crate) fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let file = EnvFile::parse("# comment\n\nA=1\nexport B = \"x y\"\nC='='\nD=\nA=2\nexport E\n").unwrap();
        let all: Vec<_> = file.values.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(all, ["A=2", "B=x y", "C==", "D="]);
        assert_eq!(file.names.iter().collect::<Vec<_>>(), ["A", "B", "C", "D", "E"]);
        assert_eq!(EnvFile::parse("A=1\nB\nno thing").unwrap_err(), "line 3: `no thing` is not NAME=VALUE");
        for bad in ["=x", "a b=x", " = x"] {
            assert!(EnvFile::parse(bad).unwrap_err().ends_with("is not a variable name"), "{bad}");
        }
    }
}
