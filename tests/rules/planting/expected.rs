//! What stacklint prints about plantings: `expected/<rule>.txt` has the whole output for each project, below its name.
//! `UPDATE_PLANTINGS=1 cargo test --test rules planting` writes it anew; what changed is to be reviewed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is in front of the name of a project.
const HEADING: &str = "## ";

/// Tests of one rule write to the same file.
static WRITING: Mutex<()> = Mutex::new(());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/planting/expected")
}

/// The outputs in a file, by the names of their projects. A file that is not there has none.
fn read(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    let mut outputs = BTreeMap::new();
    let mut project = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(HEADING) {
            name.clone_into(&mut project);
        } else if !line.is_empty() {
            let output: &mut String = outputs.entry(project.clone()).or_default();
            *output += line;
            output.push('\n');
        }
    }
    outputs
}

/// Compares the output for a rule in a project with the expected one, or writes it.
pub(super) fn compare(rule: &str, project: &str, output: &str) -> Result<(), String> {
    let _guard = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = folder().join(format!("{rule}.txt"));
    let mut outputs = read(&path);
    let expected = outputs.get(project).map_or("", String::as_str);
    if expected == output {
        return Ok(());
    }
    if std::env::var_os("UPDATE_PLANTINGS").is_none() {
        let without = |these: &str, those: &str, sign: &str| -> String {
            these.lines().filter(|l| !those.lines().any(|o| o == *l)).map(|l| format!("{sign} {l}\n")).collect()
        };
        let lines = without(expected, output, "-") + &without(output, expected, "+");
        return Err(format!("the output differs from {}:\n{lines}\nnow:\n{output}", path.display()));
    }
    outputs.insert(project.to_owned(), output.to_owned());
    let sections: Vec<String> = outputs.iter().map(|(name, output)| format!("{HEADING}{name}\n{output}")).collect();
    std::fs::create_dir_all(folder()).unwrap();
    std::fs::write(path, sections.join("\n")).unwrap();
    Ok(())
}

/// The rules and projects of all expected outputs.
pub(super) fn all() -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    files
        .flat_map(|path| {
            let rule = path.file_stem().unwrap().to_str().unwrap().to_owned();
            read(&path).into_keys().map(move |project| (rule.clone(), project))
        })
        .collect()
}
