//! Vendor manifests: their mistakes, and the folders that they fill.

use super::{World, dev};
use crate::dialects::atmos::Atmos;
use crate::dialects::{Dialect, Scope};
use crate::files::Files;
use crate::source::Memory;

/// A project with a vendor manifest.
fn world(spec: &str) -> World {
    dev("").file("vendor.yaml", &format!("apiVersion: atmos/v1\nkind: AtmosVendorConfig\nspec:\n{spec}"))
}

/// A project with one vendor source.
fn source(fields: &str) -> World {
    world(&format!("  sources:\n  - {fields}\n"))
}

/// The folders that are filled, in their order.
fn folders(world: &World) -> Vec<String> {
    let source = Memory::new("memory", world.files.clone());
    let found = Atmos::new().resolve(&source, &world.project, &Files::default(), Scope::All).fetched;
    found.iter().map(|fetched| fetched.folder.to_string()).collect()
}

#[test]
fn targets_are_rendered() {
    let target = |fields: &str| folders(&source(&format!("{{component: vpc, source: ./x, {fields}}}")));
    assert_eq!(target("targets: [components/terraform/vpc]"), ["components/terraform/vpc"]);
    assert_eq!(target("version: 1.2.0, targets: ['c/{{ .Component }}/{{.Version}}']"), ["c/vpc/1.2.0"]);
    assert_eq!(target("version: 1.2.0, targets: [{path: 'c/{{.Version}}', version: v2}, c/x]"), ["c/v2", "c/x"]);
    // Names that are known only at run time, and paths outside of the repository.
    assert_eq!(target("targets: ['{{ env \"X\" }}/a', ../../x, '{{ .Other }}', '{{']"), [""; 0]);
}

#[test]
fn manifests_in_a_folder_and_imports_are_read() {
    let one = |name: &str| format!("spec: {{sources: [{{source: ./x, targets: [{name}]}}]}}\n");
    let world = dev("").set("templates:", "vendor: {base_path: ./vendor.d}\ntemplates:");
    let world =
        world.file("vendor.d/a.yaml", &one("a")).file("vendor.d/b.yml", &one("b")).file("vendor.yaml", &one("c"));
    assert_eq!(folders(&world), ["a", "b"]);
    let world = world.file("vendor.d/other.yaml", "a: 1\n");
    assert_eq!(world.findings(), [""; 0]);
    let empty = dev("").set("templates:", "vendor: {base_path: ./stacks}\ntemplates:").file("stacks/x.yaml", "a: 1\n");
    let message =
        "invalid-vendor-manifest atmos.yaml:4 no file in the folder is a vendor manifest with `sources` or `imports`";
    assert_eq!(empty.findings(), [message]);
    let world = self::world("  imports: [more/a, more/b.yaml]\n");
    let world = world.file("more/a.yaml", &one("a")).file("more/b.yaml", &one("b"));
    // Targets are relative to the manifest that imports.
    assert_eq!(folders(&world), ["a", "b"]);
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn what_atmos_refuses() {
    let refused = |world: World, line: usize, message: &str| {
        assert_eq!(world.findings(), [format!("invalid-vendor-manifest vendor.yaml:{line} {message}")]);
    };
    refused(world("  x: 1\n"), 3, "the vendor manifest has neither `sources` nor `imports`");
    refused(source("{component: vpc, targets: [a]}"), 5, "a vendor source has no `source`");
    refused(source("{component: vpc, source: ./x}"), 5, "a vendor source has no `targets`");
    refused(source("{component: vpc, source: ./x, targets: ['']}"), 5, "a vendor target has no path");
    refused(source("{source: ./x, targets: [{version: v1}]}"), 5, "a vendor target has no path");
    refused(source("{source: ./x, targets: a}"), 5, "`targets` of a vendor manifest must be a list, not a string");
    let twice = "{component: vpc, source: ./x, targets: [a]}\n  - {component: vpc, source: ./y, targets: [b]}";
    refused(source(twice), 6, "the component `vpc` has two vendor sources");
    refused(
        world("  imports: [a, a]\n").file("a.yaml", "spec: {sources: [{source: ./x, targets: [t]}]}\n"),
        4,
        "the vendor manifest `a` is imported twice",
    );
    refused(world("  imports: [gone]\n"), 4, "the imported vendor manifest `gone` does not exist");
}

#[test]
fn sources_without_a_version() {
    let found = |fields: &str| {
        let all = source(&format!("{{component: vpc, targets: [t], {fields}}}")).findings();
        all.iter().map(|f| f.split_once("vendor.yaml:5 ").unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let open = "the vendor source is not pinned to a version";
    let missing = "the vendor source has no `version`, which its address refers to";
    assert_eq!(found("source: github.com/a/b.git//modules/x"), [open]);
    assert_eq!(found("source: 'git::https://example.com/a/b.git//x?depth=1'"), [open]);
    assert_eq!(found("source: 'oci://example.com/a/b'"), [open]);
    assert_eq!(found("source: 'github.com/a/b.git//x?ref={{.Version}}'"), [missing]);
    for fields in [
        "source: 'github.com/a/b.git//x?ref={{.Version}}', version: 1.2.0",
        "source: 'github.com/a/b.git//x?ref=main'",
        "source: 'oci://example.com:5000/a/b:1.0'",
        "source: 'oci://example.com/a/b:{{.Version}}', version: latest",
        "source: 'https://example.com/a/v1.2.tar.gz'",
        "source: ../../x",
        "source: stacks/deploy",
        "source: file:///x",
        "source: 'github.com/{{ env \"ORG\" }}/b.git'",
    ] {
        assert_eq!(found(fields), [""; 0], "{fields}");
    }
}

#[test]
fn manifests_of_components() {
    let manifest = |uri: &str| {
        let text = format!("kind: ComponentVendorConfig\nspec:\n  source:\n    uri: {uri}\n");
        dev("").file("components/terraform/vpc/component.yaml", &text).findings()
    };
    assert_eq!(manifest("github.com/a/b.git//x?ref={{.Version}}").len(), 1);
    assert_eq!(manifest("github.com/a/b.git//x?ref=v1"), [""; 0]);
}

#[test]
fn many_manifests_that_import_each_other_end() {
    let mut world = world("  imports: [m/0]\n");
    for n in 0..10_000 {
        world = world.file(&format!("m/{n}.yaml"), &format!("spec: {{imports: [m/{}]}}\n", n + 1));
    }
    assert_eq!(world.findings().len(), 1);
}
