//! Whether a change does what is expected, as JSON.

use crate::files::Files;
use crate::report::Comparison;
use crate::report::json::{ChangeJson, change as change_json};
use crate::review::{Counterexample, Open, Proof};
use crate::text::Text;
use serde::Serialize;

/// The proof as JSON has it.
#[derive(Serialize)]
pub(in crate::report) struct ProofJson<'a> {
    expected: String,
    verdict: &'static str,
    stacks: usize,
    components: usize,
    resources: usize,
    untouched: usize,
    unknown: usize,
    moved: usize,
    counterexamples: Vec<CounterexampleJson<'a>>,
    open: Vec<OpenJson<'a>>,
    without_effect: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    digests: Option<DigestsJson>,
}

#[derive(Serialize)]
struct DigestsJson {
    base: String,
    head: String,
}

impl DigestsJson {
    fn of(proof: &Proof) -> Option<Self> {
        let [base, head] = proof.digests()?;
        Some(DigestsJson { base, head })
    }
}

#[derive(Serialize)]
struct CounterexampleJson<'a> {
    #[serde(flatten)]
    address: ComponentJson<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeJson<'a>>,
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    project: &'a str,
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum OpenJson<'a> {
    Value {
        #[serde(flatten)]
        address: ComponentJson<'a>,
        change: ChangeJson<'a>,
    },
    Part {
        name: &'a str,
    },
    Code {
        files: &'a [Text],
        components: usize,
    },
    Setting {
        file: &'a str,
        path: &'a str,
    },
    File {
        file: &'a str,
    },
}

impl<'a> ProofJson<'a> {
    pub(in crate::report) fn new(
        comparison: &Comparison<'a>,
        proof: &'a Proof,
        (files, mask): (&Files, Option<&'static str>),
    ) -> Self {
        let diff = comparison.diff;
        let address = |index: usize| {
            let one = &diff.components[index];
            ComponentJson { project: &one.project, stack: &one.stack, r#type: &one.kind, component: &one.name }
        };
        let change =
            |component: usize, index: usize| change_json(&diff.components[component].changes[index], (files, mask));
        let counterexample = |one: &Counterexample| CounterexampleJson {
            address: address(one.component),
            status: diff.components[one.component].status.name(),
            change: one.change.map(|index| change(one.component, index)),
        };
        let open = |one: &'a Open| match one {
            Open::Value { component, change: index } => {
                OpenJson::Value { address: address(*component), change: change(*component, *index) }
            }
            Open::Part(name) => OpenJson::Part { name },
            Open::Code { files, components } => OpenJson::Code { files, components: *components },
            Open::Setting { file, path } => OpenJson::Setting { file, path },
            Open::File(file) => OpenJson::File { file },
        };
        let [stacks, components, resources] = proof.resolved;
        ProofJson {
            expected: proof.expectation.to_string(),
            verdict: proof.verdict().name(),
            stacks,
            components,
            resources,
            untouched: proof.untouched,
            unknown: proof.unknown,
            moved: proof.moved,
            counterexamples: proof.refuting.iter().map(counterexample).collect(),
            open: proof.open.iter().map(open).collect(),
            without_effect: &proof.harmless,
            digests: DigestsJson::of(proof),
        }
    }
}
