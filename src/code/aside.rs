//! Files that lie in folders of code and are no part of it, as far as no code names them: documents, tests, examples, and what tools
//! around a project read.

use crate::paths::{name, parent};

/// Folders of the tools around a project: they see it, and it does not see them.
const TOOLS: [&str; 6] = [".circleci", ".devcontainer", ".github", ".gitlab", ".idea", ".vscode"];
/// The same for files.
const TOOL_FILES: [&str; 8] = [
    ".editorconfig",
    ".gitignore",
    ".gitlab-ci.yml",
    ".pre-commit-config.yaml",
    ".terraform-docs.yml",
    ".tflint.hcl",
    "renovate.json",
    "stacklint.toml",
];
/// Folders of tests and examples.
const TESTS: [&str; 5] = ["example", "examples", "test", "testdata", "tests"];
/// How files of tests end.
const TEST_FILES: [&str; 3] = [".tftest.hcl", ".tftest.json", ".tofutest.hcl"];

/// Whether a file only documents or tests what is in a folder, or is for tools around that. The path is seen from there: a project
/// may lie in a folder of examples.
pub(crate) fn is_aside(path: &str) -> bool {
    let is_tool =
        path.split('/').next().is_some_and(|folder| TOOLS.contains(&folder)) || TOOL_FILES.contains(&name(path));
    let is_test = parent(path).split('/').any(|folder| TESTS.contains(&folder))
        || TEST_FILES.iter().any(|ending| name(path).ends_with(ending));
    is_document(path) || is_tool || is_test
}

fn is_document(path: &str) -> bool {
    let name = name(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    matches!(extension, "md" | "markdown" | "rst" | "adoc") || matches!(stem, "LICENSE" | "CODEOWNERS" | "NOTICE")
}
