//! The components that a change affects ([`crate::affected`]), as a list of items and as the matrix that jobs of GitHub Actions
//! are made from. `schemas/affected.json` and `schemas/matrix.json` describe both.

use crate::affected::Item;
use crate::report::{Report, indented_json};
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Matrix<'a> {
    include: Vec<Job<'a>>,
}

#[derive(Serialize)]
struct Job<'a> {
    stack: &'a str,
    component: &'a str,
    component_path: &'a str,
    component_type: &'a str,
}

/// Writes the list of affected components, and a line end. Without a comparison nothing is affected.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    indented_json::write(out, &items(report))
}

/// Writes the matrix on one line: the components that have to be deployed or destroyed.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_matrix(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let jobs = items(report).iter().filter(|i| i.is_job).map(|i| Job {
        stack: &i.stack,
        component: &i.component,
        component_path: &i.component_path,
        component_type: &i.component_type,
    });
    serde_json::to_writer(&mut *out, &Matrix { include: jobs.collect() })?;
    writeln!(out)
}

/// The name of the format of filters.
pub(crate) const FILTER: &str = "terragrunt-filter";

/// Where a dialect names the folder that its tool runs in.
const FOLDER: &str = "terragrunt_folder";

/// Writes the folders to deploy, one on each line, for `terragrunt run --all --filters-file`.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_filter(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    for item in items(report).iter().filter(|item| item.is_job && !item.deleted) {
        if let Some(folder) = item.integrations.get(FOLDER).filter(|folder| !folder.contains(['\n', '{', '}'])) {
            let path = if folder == "." { ".".to_owned() } else { format!("./{folder}") };
            // Of a stack from elsewhere, whatever it generates.
            let below = if *item.component_type == *"stack" { "/**" } else { "" };
            writeln!(out, "{{{path}{below}}}")?;
        }
    }
    Ok(())
}

fn items<'a>(report: &Report<'a>) -> &'a [Item] {
    report.comparison.map_or(&[], |comparison| comparison.affected)
}
