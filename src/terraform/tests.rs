#![allow(clippy::unwrap_used, reason = "a test may fail")]
use super::*;
use crate::source::Memory;
use crate::text::Text;

fn source(files: &[(&str, &str)]) -> Memory {
    Memory::new("memory", files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect())
}

fn names<T>(map: &BTreeMap<Text, T>) -> Vec<&str> {
    map.keys().map(|k| &**k).collect()
}

#[test]
fn what_a_folder_declares() {
    let source = source(&[
        (
            "m/main.tf",
            "\u{feff}terraform {\n  required_version = \">= 1.5\"\n  backend \"s3\" {}\n  required_providers {\n    aws = { source = \"hashicorp/aws\" }\n  }\n}\n\
             module \"vpc\" {\n  source = \"../vpc\"\n}\nresource \"a_b\" \"c\" {\n  count = var.x ? 1 : 0\n}\n",
        ),
        (
            "m/variables.tf",
            "variable \"name\" {\n  type = string\n}\nvariable \"zones\" {\n  type = list(string)\n  default = []\n  nullable = false\n}\n\
             variable \"key\" {\n  sensitive = true\n  validation {\n    condition = true\n    error_message = \"x\"\n  }\n}\n",
        ),
        ("m/outputs.tf", "output \"id\" { value = local.id }\n"),
        ("m/more.tf.json", r#"{"variable": {"extra": {"type": "map(string)"}}, "output": {"arn": {"value": "x"}}}"#),
        ("m/name_override.tf", "variable \"name\" {\n  default = \"x\"\n}\n"),
        ("m/outputs.tofu", "output \"uuid\" { value = 1 }\n"),
        ("m/x.auto.tfvars", "extra = {}\n"),
        ("m/terraform.tfvars.json", r#"{"key": 1}"#),
        ("m/other.tfvars", "zones = []\n"),
        ("m/.hidden.tf", "{{{\n"),
        ("m/nested/a.tf", "variable \"nested\" {}\n"),
    ]);
    let (files, cache) = (Files::default(), Cache::default());
    let modules = Modules::new(&source, &files, &cache);
    let module = modules.get("m").unwrap();
    assert_eq!(names(&module.variables), ["extra", "key", "name", "zones"]);
    assert_eq!(names(&module.outputs), ["arn", "uuid"], "a .tofu file hides the .tf file");
    let name = &module.variables["name"];
    assert!(name.has_default && name.ty == Type::String && name.is_nullable, "{name:?}");
    let zones = &module.variables["zones"];
    assert!(zones.has_default && !zones.is_nullable && zones.ty.to_string() == "list(string)");
    let key = &module.variables["key"];
    assert!(key.is_sensitive && key.is_validated && !key.has_default && key.ty == Type::Any);
    assert_eq!(module.variables["extra"].ty.to_string(), "map(string)");
    assert_eq!(module.backend.as_ref().map(|b| &*b.0), Some("s3"));
    assert_eq!(module.required_version.as_deref(), Some(">= 1.5"));
    assert!(module.required_providers.contains("aws"));
    assert_eq!(module.calls["vpc"].source.as_deref(), Some("../vpc"));
    assert_eq!(module.values.iter().map(|v| &**v).collect::<Vec<_>>(), ["extra", "key"]);
    let at = zones.origin;
    assert_eq!(&files.get(at.file).text[at.start as usize..at.end as usize], "variable \"zones\"");
    let at = module.calls["vpc"].origin;
    assert_eq!(&files.get(at.file).text[at.start as usize..at.end as usize], "module \"vpc\"");
    assert_eq!(modules.below(""), ["m", "m/nested"]);
    assert!(modules.errors().is_empty());
}

#[test]
fn what_cannot_be_read_is_no_module() {
    let source = source(&[
        ("bad/main.tf", "variable \"a\" {}\n"),
        ("bad/x.tf", "variable \"b\" {\n"),
        ("json/a.tf.json", "{"),
        ("none/readme.md", "x"),
        ("blank/main.tf", "# placeholder\n"),
        ("blank/x.tf", ""),
        ("deep/a.tf", &format!("locals {{\n a = {}1{}\n}}\n", "(".repeat(5000), ")".repeat(5000))),
    ]);
    let (files, cache) = (Files::default(), Cache::default());
    let modules = Modules::new(&source, &files, &cache);
    for folder in ["bad", "json", "none", "blank", "deep", "missing", "../x"] {
        assert!(modules.get(folder).is_none(), "{folder}");
    }
    let errors: Vec<String> = modules.errors().iter().map(|t| files.get(t.file).path.to_string()).collect();
    assert_eq!(errors, ["bad/x.tf", "json/a.tf.json", "deep/a.tf"]);
}

#[test]
fn revisions_share_what_is_equal() {
    let a = source(&[("m/main.tf", "variable \"a\" {}\n"), ("m/x.tf", "")]);
    let b = source(&[("m/main.tf", "variable \"a\" {}\n"), ("m/x.tf", "variable \"b\" {}\n")]);
    let (files, cache) = (Files::default(), Cache::default());
    assert_eq!(names(&Modules::new(&a, &files, &cache).get("m").unwrap().variables), ["a"]);
    assert_eq!(names(&Modules::new(&b, &files, &cache).get("m").unwrap().variables), ["a", "b"]);
    assert_eq!(cache.files.lock().len(), 3);
}

#[test]
fn blocks_that_begin_on_their_first_line_are_understood() {
    let source = source(&[(
        "m/main.tf",
        "variable \"name\" { type = string }\n# it's { \nvariable \"items\" { type = list(string)\n default=[] }\n\
         variable \"text\" { default = \"}\" // {\n  type = object({\n a = string }) }\noutput \"id\" { value = 1\n}\n",
    )]);
    let (files, cache) = (Files::default(), Cache::default());
    let modules = Modules::new(&source, &files, &cache);
    let module = modules.get("m").expect("a module");
    assert_eq!(names(&module.variables), ["items", "name", "text"]);
    assert!(module.variables["items"].has_default && !module.variables["name"].has_default);
    for name in ["items", "name", "text"] {
        let at = module.variables[name].origin;
        let text = &files.get(at.file).text[at.start as usize..at.end as usize];
        assert_eq!(text, format!("variable \"{name}\""));
    }
    assert_eq!(names(&module.outputs), ["id"]);
}

#[test]
fn kinds_of_outputs() {
    let text = "output \"a\" { value = \"x\" }\noutput \"b\" { value = \"${local.x}\" }\noutput \"c\" { value = \"x-${local.x}\" }\n\
                output \"d\" { value = [for s in local.all : s] }\noutput \"e\" { value = { for k, v in local.all : k => v } }\n\
                output \"f\" { value = (true) }\noutput \"g\" { value = null }\noutput \"h\" { value = module.x.y }\noutput \"i\" { value = [1] }\n\
                output \"j\" { value = { a = 1 } }\noutput \"k\" { value = 1.5 }\noutput \"l\" {}\n";
    let json =
        r#"{"output": {"m": {"value": "x"}, "n": {"value": "${x}"}, "o": {"value": [1]}, "p": {"value": null}}}"#;
    let source = source(&[("m/a.tf", text), ("m/b.tf.json", json)]);
    let (files, cache) = (Files::default(), Cache::default());
    let module = Modules::new(&source, &files, &cache).get("m").expect("a module");
    let found: String = module.output_kinds.iter().map(|(name, kind)| format!("{name}: {}\n", kind.name())).collect();
    let wanted = "a: a string\nc: a string\nd: a list\ne: a map\nf: a boolean\ni: a list\nj: a map\nk: a number\nm: a string\no: a list\n";
    assert_eq!(found, wanted);
}

#[test]
fn sources_of_calls() {
    for (source, expected) in [
        ("./x", Some("a/b/x")),
        ("../x//y/", Some("a/x/y")),
        ("../..", Some("")),
        ("../../..", None),
        ("x/y", None),
        ("git::https://example.com/x.git", None),
    ] {
        assert_eq!(called_folder("a/b", source).as_deref(), expected, "{source}");
    }
}
