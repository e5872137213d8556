//! What is resolved after other states of a project is what it is with empty caches.

use super::{ATMOS, Atmos};
use crate::dialects::{Dialect, Project, Scope};
use crate::files::Files;
use crate::resolution::{Resolution, Unit};
use crate::source::{self, Memory, Source};
use crate::value::{Data, Map, Prov, Value};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What differs between two states of the project below. Each is a piece of a file.
#[derive(Clone, Debug)]
struct State {
    /// Variables of all stacks: read by nothing, by a template, by a template that reads all around it, and by names.
    free: &'static str,
    read: &'static str,
    around: &'static str,
    stage: &'static str,
    /// Variables of a component type, of a base component, and of a component in a stack.
    typed: &'static str,
    base: &'static str,
    own: &'static str,
    /// An item of a list, and settings.
    item: &'static str,
    team: &'static str,
    /// What moves the rest: a comment, and a key above.
    comment: &'static str,
    more: &'static str,
}

const FIRST: State = State {
    free: "1",
    read: "a",
    around: "x",
    stage: "dev",
    typed: "true",
    base: "small",
    own: "7",
    item: "one",
    team: "net",
    comment: "",
    more: "",
};

impl State {
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let State { free, read, around, stage, typed, base, own, item, team, comment, more } = self;
        let defaults = format!(
            "{comment}vars:\n{more}  free: &free {free}\n  again: *free\n  read: {read}\n  around: {{inner: {{x: {around}}}}}\n  \
             stage: {stage}\n  items: [{item}, two]\n  env_name: 'n-{{{{ .vars.read }}}}'\nsettings: {{team: {team}}}\n\
             terraform: {{vars: {{typed: {typed}}}}}\n"
        );
        let catalog = format!(
            "components:\n  terraform:\n    base:\n      metadata: {{type: abstract}}\n      vars: {{base: {base}, free: 0, \
             list: [{item}]}}\n"
        );
        let one = format!(
            "import: [_defaults, catalog]\nvars: {{items: [three]}}\ncomponents:\n  terraform:\n    box:\n      metadata: {{inherits: [base]}}\n      \
             vars: {{own: {own}, all: '{{{{ toJson .vars.around }}}}'}}\n      \
             settings: {{note: 'in {{{{ .vars.stage }}}}', team: '{{{{ .settings.team }}}}', \
             made: {{of: '{{{{ printf \"text\" }}}}'}}}}\n  helmfile: {{chart: {{vars: {{own: {own}}}}}}}\n"
        );
        let two =
            "import: [_defaults]\nvars: {stage: two, free: 5}\ncomponents: {terraform: {plain: {vars: {p: !env P}}}}\n";
        let three = "import: [_defaults]\nvars: {stage: three}\ncomponents:\n  terraform:\n    seen:\n      vars: {v: 'free is {{ .vars.free }}'}\n";
        // Rendered with locals and with a context, and together with another file.
        let four = format!(
            "locals: {{zone: {own}, two: '{{{{ .locals.zone }}}}-2'}}\nimport:\n  - _defaults\n  - {{path: part.yaml.tmpl, \
             context: {{n: {base}, zone: '{{{{ .locals.two }}}}'}}}}\n  - {{path: plain, context: {{n: 1}}}}\nvars: {{stage: four, \
             from: '{{{{ .locals.two }}}}'}}\nsettings: {{more: !include stacks/included.yaml}}\n"
        );
        let part = format!(
            "components: {{terraform: {{queue-{{{{ .n }}}}: {{vars: {{zone: '{{{{ .zone }}}}', item: {item}}}}}}}}}\n"
        );
        let plain = "components: {terraform: {plain: {vars: {n: '{{ .n }}'}}}}\n";
        let included = format!("team: {team}\n");
        let all = [
            ("stacks/deploy/four.yaml", four.as_str()),
            ("stacks/part.yaml.tmpl", &part),
            ("stacks/plain.yaml", plain),
            ("stacks/included.yaml", &included),
            ("atmos.yaml", ATMOS),
            ("stacks/_defaults.yaml", &defaults),
            ("stacks/catalog.yaml", &catalog),
            ("stacks/deploy/one.yaml", &one),
            ("stacks/deploy/two.yaml", two),
            ("stacks/deploy/three.yaml", three),
        ];
        all.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
    }
}

/// Resolves states one after the other as an editor does.
struct Editor {
    atmos: Atmos,
    files: Files,
    last: Memory,
}

impl Editor {
    fn new(state: &State) -> Self {
        let editor = Editor { atmos: Atmos::new(), files: Files::default(), last: Memory::new("m", state.files()) };
        editor.atmos.resolve(&editor.last, &Project::default(), &editor.files, Scope::All);
        editor
    }

    fn edit(&mut self, state: &State) -> Resolution {
        self.last = Memory::new("m", state.files());
        self.atmos.resolve(&self.last, &Project::default(), &self.files, Scope::All)
    }

    /// The current state, resolved with empty caches.
    fn fresh(&self) -> Resolution {
        Atmos::new().resolve(&self.last, &Project::default(), &self.files, Scope::All)
    }
}

/// All of a resolution that others read, places and histories included.
fn shown(resolution: &Resolution) -> String {
    let mut out = String::new();
    for unit in &resolution.units {
        let Unit {
            id: _,
            name,
            file,
            files,
            components,
            absent: _,
            state,
            broken,
            failed,
            open,
            lacks,
            unlisted,
            validated_as,
            may_read_more,
            thread: _,
        } = &**unit;
        let _ = writeln!(
            out,
            "{name} {file:?} {files:?} {state:?} {broken:?} {failed:?} {open:?} {lacks:?} {unlisted:?} {validated_as:?} {may_read_more}"
        );
        for component in components {
            let _ = writeln!(out, "{:?} {:?}", component.address(), component.shaping_origins);
            show(&mut out, &component.value);
            component.locals.iter().for_each(|locals| show(&mut out, locals));
            let known = &component.metadata;
            let maps = known.inputs.authored.iter().chain([&known.inputs.all]);
            maps.chain(known.state.iter().map(|state| &state.settings)).for_each(|map| show_map(&mut out, map));
            let state = known.state.as_ref().map(|state| (&state.backend, state.origin, state.authored));
            let _ = writeln!(out, "{:?} {:?} {:?} {state:?}", known.code, known.links, known.bases);
            let _ = writeln!(out, "{:?} {:?} {:?}", known.workspace, known.is_disabled, known.inputs.given);
        }
    }
    let findings = resolution.findings.iter().map(|f| (f.rule.id(), &f.message, &f.primary, &f.related, &f.stacks));
    let _ = writeln!(out, "{:?}", findings.collect::<Vec<_>>());
    let _ = writeln!(out, "{:?} {:?}", resolution.locals, resolution.imports);
    out
}

fn show(out: &mut String, value: &Value) {
    match &value.data {
        Data::Map(map) => show_map(out, map),
        Data::List(items) => items.iter().for_each(|item| show(out, item)),
        data => {
            let _ = write!(out, "{data:?}");
        }
    }
    show_prov(out, &value.prov);
}

fn show_map(out: &mut String, map: &Map) {
    let _ = write!(out, "{:?} {{", map.flags());
    for entry in map.iter() {
        let _ = write!(out, "{}: ", entry.key);
        show(out, &entry.value);
    }
    out.push_str("}\n");
}

fn show_prov(out: &mut String, prov: &Prov) {
    let _ = write!(out, " @{:?}", prov.origin);
    let Some(trail) = &prov.trail else { return };
    out.push('[');
    trail.overrode().into_iter().for_each(|value| show(out, value));
    trail.inputs().iter().for_each(|input| show_prov(out, input));
    trail.layers().iter().for_each(|layer| show(out, &layer.value));
    out.push(']');
}

#[test]
fn edits_of_each_kind_give_what_fresh_resolutions_give() {
    for edit in [
        State { free: "2", ..FIRST },
        State { typed: "false", ..FIRST },
        State { base: "large", ..FIRST },
        State { item: "other", ..FIRST },
        State { comment: "# moved\n", ..FIRST },
        State { read: "b", ..FIRST },
        State { around: "y", ..FIRST },
        State { stage: "test", ..FIRST },
        State { team: "other", ..FIRST },
        State { free: "one", ..FIRST },
        State { free: "null", ..FIRST },
        State { free: "'{{ .vars.stage }}'", ..FIRST },
        State { free: "!env FREE", ..FIRST },
        State { more: "  above: 1\n", ..FIRST },
    ] {
        let mut editor = Editor::new(&FIRST);
        let edited = editor.edit(&edit);
        assert_eq!(shown(&edited), shown(&editor.fresh()), "{edit:?}");
    }
}

#[test]
fn templates_of_the_configuration_read_variables() {
    let config = format!("{ATMOS}env: {{SIZE: '{{{{ if .vars.free }}}}{{{{ .vars.stage }}}}{{{{ end }}}}'}}\n");
    let files = |free: &str| {
        let stack =
            format!("vars: {{stage: dev, free: {free}}}\ncomponents: {{terraform: {{box: {{vars: {{a: 1}}}}}}}}\n");
        let all = [("atmos.yaml", config.clone()), ("stacks/deploy/one.yaml", stack)];
        all.into_iter().map(|(path, text)| (path.to_owned(), text.into_bytes())).collect::<BTreeMap<_, _>>()
    };
    let (atmos, table) = (Atmos::new(), Files::default());
    let size = |free: &str| {
        let resolution = atmos.resolve(&Memory::new("m", files(free)), &Project::default(), &table, Scope::All);
        resolution.units[0].components[0].value.at_path(["env", "SIZE"]).cloned()
    };
    assert_eq!(size("true"), Some(Value::str("dev")));
    assert_ne!(size("false"), Some(Value::str("dev")));
}

fn state() -> impl Strategy<Value = State> {
    let values = || select(vec!["1", "2", "one", "true", "null", "'{{ .vars.read }}'", "[1]", "{k: 1}"]);
    let words = || select(vec!["a", "b", "c d"]);
    let moved = (select(vec!["", "# moved\n"]), select(vec!["", "  above: 1\n"]));
    let variables = (values(), words(), words(), select(vec!["dev", "test"]), values(), words(), values());
    (variables, words(), words(), moved).prop_map(|(variables, item, team, (comment, more))| {
        let (free, read, around, stage, typed, base, own) = variables;
        State { free, read, around, stage, typed, base, own, item, team, comment, more }
    })
}

/// A state in which a few pieces are those of another one.
fn mixed(old: &State, new: &State, pieces: u16) -> State {
    let mut out = old.clone();
    let slots = [
        (&mut out.free, new.free),
        (&mut out.read, new.read),
        (&mut out.around, new.around),
        (&mut out.stage, new.stage),
        (&mut out.typed, new.typed),
        (&mut out.base, new.base),
        (&mut out.own, new.own),
        (&mut out.item, new.item),
        (&mut out.team, new.team),
        (&mut out.comment, new.comment),
        (&mut out.more, new.more),
    ];
    slots.into_iter().enumerate().filter(|(i, _)| pieces >> i & 1 == 1).for_each(|(_, (slot, piece))| *slot = piece);
    out
}

proptest! {
    #![proptest_config(crate::fuzz::cases(16))]

    /// After each of several edits, nothing differs from a resolution with empty caches.
    #[test]
    fn edits_give_what_fresh_resolutions_give(first in state(), edits in prop::collection::vec((state(), any::<u16>(), any::<u16>()), 1..6)) {
        let mut editor = Editor::new(&first);
        let mut state = first;
        for (new, some, others) in edits {
            state = mixed(&state, &new, some & others);
            let edited = editor.edit(&state);
            prop_assert_eq!(shown(&edited), shown(&editor.fresh()));
        }
    }

    /// The states of a comparison may come in any order, with parts of them or all.
    #[test]
    fn compared_states_are_what_they_are_alone(first in state(), new in state(), pieces in any::<u16>(), whole in any::<[bool; 4]>()) {
        let second = mixed(&first, &new, pieces);
        let [old, new] = [&first, &second].map(|state| Memory::new("m", state.files()));
        let changes = source::changed(old.listing(), new.listing());
        let (atmos, files) = (Atmos::new(), Files::default());
        for (source, whole) in [&old, &new, &new, &old].into_iter().zip(whole) {
            let scope = if whole { Scope::All } else { Scope::Touched(&changes) };
            let together = atmos.resolve(source, &Project::default(), &files, scope);
            let alone = Atmos::new().resolve(source, &Project::default(), &files, scope);
            prop_assert_eq!(shown(&together), shown(&alone));
        }
    }
}
