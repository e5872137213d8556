//! What heads the page: the repository, the commits, the sign of the verdict, and where its lines are on the web.

use super::{Commit, Page};
use crate::report::headline;
use crate::report::links::Web;
use crate::resolution::Component;
use crate::value::Data as Kind;
use serde::Serialize;

/// The most authors that are named.
const MAX_AUTHORS: usize = 6;
/// What stands for the path in an address of a line.
const PATH: &str = "PATH";

/// What is reviewed.
#[derive(Serialize)]
pub(super) struct About {
    /// `owner/name`, and the page of the repository.
    repository: Option<(String, String)>,
    /// The first line of the message of the newest commit.
    title: Option<String>,
    /// The number of commits.
    commits: usize,
    /// Who wrote them, the newest first.
    authors: Vec<String>,
    /// The sign of the verdict.
    sign: char,
    /// What precedes and follows the path in the address of a line, which ends with its number: in the base and in the head.
    web: [Option<(String, String)>; 2],
    /// The protected stacks that are reached.
    protected: Vec<String>,
}

impl About {
    pub(super) fn of(page: &Page<'_>) -> Self {
        let report = page.report;
        let web = report.remote.and_then(Web::of);
        let mut authors: Vec<String> = Vec::new();
        for Commit { author, .. } in page.commits {
            if !authors.contains(author) && authors.len() < MAX_AUTHORS {
                authors.push(author.clone());
            }
        }
        let lines = |commit: Option<&String>| {
            let url = web.as_ref()?.lines(commit?, PATH, 1, 1)?;
            let (before, after) = url.split_once(PATH)?;
            Some((before.to_owned(), after.strip_suffix('1')?.to_owned()))
        };
        let base = report.comparison.as_ref().and_then(|comparison| comparison.base.commit.as_ref());
        About {
            repository: web.as_ref().map(|web| (web.name().to_owned(), web.url().to_owned())),
            title: page.commits.first().map(|commit| commit.subject.clone()),
            commits: page.commits.len(),
            authors,
            sign: headline::mark(report).0,
            web: [lines(base), lines(report.head.commit.as_ref())],
            protected: report.comparison.iter().flat_map(|c| c.protected).map(ToString::to_string).collect(),
        }
    }
}

/// The values that place a stack: those of the inputs that stacks of its system are named after, the stage last. Empty for a
/// system without such inputs.
pub(super) fn labels(component: &Component) -> Vec<String> {
    let words = component.language.vocabulary;
    let names = words.stack_inputs.iter().chain([&words.stage]);
    let inputs = &component.metadata.inputs.all;
    let text = |name: &&str| match &inputs.get(name)?.data {
        Kind::Str(text) => Some(text.to_string()),
        _ => None,
    };
    names.filter_map(text).collect()
}
