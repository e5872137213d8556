//! Edits that keep a part of a project from being resolved: nothing of that part may be reported as removed, unchanged or fixed.

use crate::common::Repo;
use serde_json::Value as Json;

/// Such an edit.
pub(crate) struct Damage {
    /// The name of its test.
    pub(crate) name: &'static str,
    pub(crate) edit: fn(&Repo) -> &Repo,
    /// The stacks that are not resolved.
    pub(crate) lost: &'static [&'static str],
    /// A part of the reason that is reported.
    pub(crate) reason: &'static str,
}

/// Tests of each edit by each of some functions.
macro_rules! damages {
    ($($judge:ident)+: $edits:tt) => { $( $crate::damage::damages! { @ $judge $edits } )+ };
    (@ $judge:ident { $($name:ident => $edit:expr, $lost:expr, $reason:literal;)+ }) => {
        mod $judge {
            use super::*;
            $(
                #[test]
                fn $name() {
                    super::$judge(&Damage { name: stringify!($name), edit: $edit, lost: &$lost, reason: $reason });
                }
            )+
        }
    };
}
pub(crate) use damages;

/// The stacks of a side of a report that are not resolved, with the reasons.
pub(crate) fn unresolved(report: &Json, side: &str) -> Vec<(String, String)> {
    let list = report["coverage"]["projects"][0][side]["unresolved"].as_array().unwrap();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    list.iter().filter(|u| u["stack"].is_string()).map(|u| (text(&u["stack"]), text(&u["reason"]))).collect()
}

/// Their names.
#[track_caller]
pub(crate) fn names(report: &Json, side: &str) -> Vec<String> {
    unresolved(report, side).into_iter().map(|(stack, _)| stack).collect()
}
