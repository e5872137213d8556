//! The components that a change affects ([`crate::affected`]), as a list of items and as the matrix that jobs of GitHub Actions
//! are made from. `schemas/affected.json` and `schemas/matrix.json` describe both.

use super::Report;
use crate::affected::Item;
use crate::report::indented_json;
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

fn items<'a>(report: &Report<'a>) -> &'a [Item] {
    report.comparison.map_or(&[], |comparison| comparison.affected)
}
