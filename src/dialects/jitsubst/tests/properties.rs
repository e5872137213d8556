//! Invariants of every project: no panics, the same result again, and the same whether all of it is resolved or only
//! what a change affects.

use super::*;
use crate::source::{Source, changed};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let pieces = ["${a.id}", "${b.x}", "${A}", "$B", "${}", "${", "$$", "}", "x", " ", "${ c.d }", "é", "${.x}", "$1"];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5).prop_map(|p| p.concat())
}

fn module() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c", "c.d"]);
    let kind = prop::sample::select(vec!["infra.x", "infra.container_service", "platform.y", "iac.z"]);
    let on = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "none"]), 0..3);
    let overlay = prop::sample::select(vec![
        "",
        "e: null",
        "e: {}",
        "e: {config: {name: b}}",
        "f: {provider: p, config: {v: '$A'}}",
    ]);
    (name, kind, on, text(), text(), overlay).prop_map(|(name, kind, on, kept, plain, overlay)| {
        let quote = |t: &str| format!("'{}'", t.replace('\'', "''"));
        format!(
            "  - {{name: {name}, type: {kind}, config: {{depends_on: [{}], env_vars: {{X: {}}}, v: {}}}, environments: {{{overlay}}}}}\n",
            on.join(", "),
            quote(&kept),
            quote(&plain),
        )
    })
}

fn project() -> impl Strategy<Value = World> {
    let modules = || prop::collection::vec(module(), 0..5).prop_map(|m| m.concat());
    let import = prop::sample::select(vec!["", "imports: [lib.yaml]\n", "imports: [lib.yaml, gone.yaml]\n"]);
    (modules(), modules(), import).prop_map(|(main, lib, import)| {
        World::new(&format!("{import}modules:\n{main}")).file("lib.yaml", &format!("modules:\n{lib}"))
    })
}

proptest! {
    #![proptest_config(crate::fuzz::cases(128))]

    #[test]
    fn the_same_project_gives_the_same_answer(world in project()) {
        prop_assert_eq!(world.stacks().to_string(), world.stacks().to_string());
        prop_assert_eq!(world.findings(), world.findings());
    }

    #[test]
    fn what_no_change_reaches_needs_no_resolving(world in project(), path in prop::sample::select(vec!["lib.yaml", "other.yaml", "gone.yaml"])) {
        let edited = world.clone().file(path, "modules: [{name: new, type: infra.x}]\n");
        let (base, head) = (world.source(), edited.source());
        let changes = changed(base.listing(), head.listing());
        let (dialect, files) = (Jitsubst::new(), Files::default());
        let resolve = |scope| dialect.resolve(&head, &edited.project, &files, scope);
        let (all, touched) = (resolve(Scope::All), resolve(Scope::Touched(&changes)));
        // After the other state, which is reached or not, it is what it is alone.
        for world in [&world, &edited, &world] {
            let again = dialect.resolve(&world.source(), &world.project, &files, Scope::All);
            let alone = Jitsubst::new().resolve(&world.source(), &world.project, &Files::default(), Scope::All);
            let shown = |found: &Resolution| -> Vec<String> {
                let value = |placed: &crate::resolution::Placed| serde_json::to_string(&placed.component.value).unwrap_or_default();
                let components = found.components().into_iter().map(|(address, placed)| format!("{address:?} {}", value(&placed)));
                components.chain(found.findings.iter().map(|f| format!("{} {}", f.primary.start, f.message))).collect()
            };
            prop_assert_eq!(shown(&again), shown(&alone));
        }
        if touched.units.iter().all(|u| u.state == State::OutOfScope) {
            prop_assert_eq!(world.stacks(), edited.stacks());
        } else {
            let values = |e: &Resolution| e.components().into_iter().map(|(a, p)| (a, p.component.value.clone())).collect::<Vec<_>>();
            prop_assert_eq!(values(&all), values(&touched));
        }
    }

    #[test]
    fn leniently_and_strictly_agree(template in text()) {
        let sources = substitute::Sources { env: Some([("A".to_owned(), "1".to_owned())].into()), ..Default::default() };
        let template = Value::str(template);
        let strict = substitute::resolve(&template, &sources, Mode::Strict);
        match substitute::resolve(&template, &sources, Mode::Lenient) {
            Ok(lenient) if lenient.unresolved.is_empty() => prop_assert_eq!(strict.unwrap().value, lenient.value),
            _ => prop_assert!(strict.is_err()),
        }
    }
}
