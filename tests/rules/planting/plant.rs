//! The good projects, and one of them with a mistake in it.

use super::edit;
use crate::common::{Repo, fixture};
use std::collections::BTreeMap;
use std::path::Path;

/// A good project below `fixtures/planting`, and what there is in it.
pub(crate) struct Tree {
    /// Its folder.
    pub(crate) name: &'static str,
    /// Where stacklint is started, and the configuration is.
    pub(crate) start: &'static str,
    /// The configuration of stacks, or the one file of a project without them.
    pub(crate) config: &'static str,
    /// The folder of manifests.
    stacks: &'static str,
    /// A manifest that gives a stack with the component `vpc`; its last part is the stack's stage or folder.
    pub(crate) manifest: &'static str,
    /// The name of that stack.
    pub(crate) stack: &'static str,
    /// The manifest of another stack.
    pub(crate) other: &'static str,
    /// A place for another manifest of the stack of `manifest`, which is called otherwise.
    pub(crate) twin: &'static str,
    /// A component that is configured in `manifest`, and one that reads from it: the names and folders of their code.
    pub(crate) vpc: (&'static str, &'static str),
    pub(crate) db: (&'static str, &'static str),
    /// The ending of manifests that imports have to name.
    pub(crate) ending: &'static str,
}

/// Projects with stacks: everything in one file; a catalog with bases; tenants with several manifests for a stack and the
/// code elsewhere; locals and an imported template; relative imports, patterns and bases of bases.
pub(crate) const TREES: [Tree; 5] = [
    Tree {
        name: "flat",
        manifest: "stacks/deploy/dev.yaml",
        stack: "dev",
        other: "stacks/deploy/prod.yaml",
        twin: "stacks/deploy/qa.yaml",
        ..PLAIN
    },
    Tree {
        name: "layered",
        manifest: "stacks/deploy/acme/dev.yaml",
        stack: "acme-dev",
        other: "stacks/deploy/acme/prod.yaml",
        twin: "stacks/deploy/acme/qa.yaml",
        ..PLAIN
    },
    Tree {
        name: "tenants",
        start: "infra",
        config: "infra/atmos.yaml",
        stacks: "infra/stacks",
        manifest: "infra/stacks/orgs/acme/dev/network.yaml",
        stack: "acme-eu-dev",
        other: "infra/stacks/orgs/globex/prod/all.yaml",
        twin: "infra/stacks/orgs/acme/qa/network.yaml",
        vpc: ("net/vpc", "net/vpc"),
        db: ("data/db", "data/db"),
        ..PLAIN
    },
    Tree {
        name: "locals",
        manifest: "stacks/env/test.yaml",
        stack: "eu-test",
        other: "stacks/env/live.yaml",
        twin: "stacks/env/qa.yaml",
        vpc: ("network", "vpc"),
        db: ("database", "db"),
        ..PLAIN
    },
    Tree {
        name: "regions",
        stacks: "config",
        manifest: "config/live/north/stage.yml",
        stack: "north-stage",
        other: "config/live/south/stage.yml",
        twin: "config/live/north/qa.yml",
        vpc: ("hub", "vpc"),
        db: ("store", "db"),
        ending: ".yml",
        ..PLAIN
    },
];

/// A tree whose configuration is in the root; what a project lacks is empty.
const PLAIN: Tree = Tree {
    name: "",
    start: ".",
    config: "atmos.yaml",
    stacks: "stacks",
    manifest: "",
    stack: "",
    other: "",
    twin: "",
    vpc: ("vpc", "vpc"),
    db: ("db", "db"),
    ending: "",
};

const fn infra(name: &'static str, config: &'static str) -> Tree {
    let none = ("", "");
    Tree { name, config, manifest: config, stacks: "", vpc: none, db: none, ..PLAIN }
}

/// Projects without stacks.
pub(crate) const INFRA: [Tree; 5] = [
    infra("jit-plain", "infra.yaml"),
    infra("jit-config", "config/infra.yaml"),
    infra("jit-imports", "infra.yaml"),
    infra("jit-environments", "infra.yaml"),
    infra("jit-secrets", "infra.yaml"),
];

/// Projects of actions: one file; a file for each service with files of variables; rendered templates; modules; operators and
/// variables in layers.
pub(crate) const GARDEN: [Tree; 5] = [
    infra("garden-layers", "garden.yml"),
    infra("garden-modules", "garden.yml"),
    infra("garden-plain", "garden.yml"),
    infra("garden-split", "project.garden.yml"),
    infra("garden-templates", "garden.yml"),
];

/// Root modules of OpenTofu: in the root, in a folder of a monorepo, in both syntaxes, with instances of providers and nested
/// modules, and in JSON alone.
pub(crate) const TOFU: [Tree; 5] = [
    infra("tofu-plain", "main.tf"),
    infra("tofu-monorepo", "environments/prod/main.tf"),
    infra("tofu-mixed", "main.tofu"),
    infra("tofu-instances", "live/edge/main.tf"),
    infra("tofu-json", "main.tf.json"),
];

/// Units of Terragrunt: one by itself, two with a root file, and those of a stack.
pub(crate) const TERRAGRUNT: [Tree; 3] = [
    infra("tg-plain", "app/terragrunt.hcl"),
    infra("tg-layers", "root.hcl"),
    infra("tg-stack", "live/prod/terragrunt.stack.hcl"),
];

type Files = BTreeMap<String, String>;

/// A project on its way to a mistake. Edits change the last state; [`Plant::commit`] makes it the older one of two.
pub(crate) struct Plant {
    pub(crate) tree: &'static Tree,
    files: Files,
    before: Option<Files>,
    links: Vec<(String, String)>,
    mark: String,
}

impl Plant {
    pub(crate) fn new(tree: &'static Tree) -> Self {
        let mut files = Files::new();
        read(&fixture("planting").join(tree.name), "", &mut files);
        Plant { tree, files, before: None, links: Vec::new(), mark: String::new() }
    }

    /// The line of the finding has this text.
    pub(crate) fn expect(&mut self, mark: impl Into<String>) {
        self.mark = mark.into();
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// What is there so far is the older state.
    pub(crate) fn commit(&mut self) {
        self.before = Some(self.files.clone());
    }

    /// What is there so far is the older state, and the newer one starts with the good project again.
    pub(crate) fn commit_and_revert(&mut self) {
        self.commit();
        self.files = Plant::new(self.tree).files;
    }

    pub(crate) fn write(&mut self, path: &str, text: impl Into<String>) {
        self.files.insert(path.to_owned(), text.into());
    }

    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        &self.files[path]
    }

    pub(crate) fn link(&mut self, path: String, target: &str) {
        self.links.push((path, target.to_owned()));
    }

    /// Sets a value in a file.
    pub(crate) fn set(&mut self, path: &str, keys: &[&str], value: &str) {
        let text = edit::set(self.text(path), keys, value);
        self.write(path, text);
    }

    /// Sets a value in the manifest.
    pub(crate) fn top(&mut self, keys: &[&str], value: &str) {
        self.set(self.tree.manifest, keys, value);
    }

    /// Sets a value of the component in the manifest.
    pub(crate) fn vpc(&mut self, keys: &[&str], value: &str) {
        self.component(self.tree.vpc.0, keys, value);
    }

    /// Sets a value of a component in the manifest, which may be a new one.
    pub(crate) fn component(&mut self, name: &str, keys: &[&str], value: &str) {
        let path: Vec<&str> = ["components", "terraform", name].iter().chain(keys).copied().collect();
        self.top(&path, value);
    }

    /// Writes a manifest of another stack, with these lines below its variables.
    pub(crate) fn twin(&mut self, text: &str) {
        let vars = "vars:\n  tenant: acme\n  environment: eu\n  stage: qa\n";
        self.write(self.tree.twin, format!("{vars}{text}"));
    }

    /// Adds text behind the manifest.
    pub(crate) fn append(&mut self, text: &str) {
        let all = format!("{}{text}", self.text(self.tree.manifest));
        self.write(self.tree.manifest, all);
    }

    /// Writes a manifest that is not a stack itself; gives the path that imports it.
    pub(crate) fn shared(&mut self, name: &str, text: &str) -> String {
        let ending = if self.tree.ending.is_empty() { ".yaml" } else { self.tree.ending };
        self.write(&format!("{}/planted/{name}{ending}", self.tree.stacks), text);
        format!("planted/{name}{}", self.tree.ending)
    }

    /// Writes a manifest and imports it.
    pub(crate) fn imported(&mut self, name: &str, text: &str) {
        let path = self.shared(name, text);
        self.import(&path);
    }

    /// Imports something in the manifest.
    pub(crate) fn import(&mut self, item: &str) {
        let text = edit::import(self.text(self.tree.manifest), item);
        self.write(self.tree.manifest, text);
    }

    /// The path of a file below the folder of manifests.
    pub(crate) fn below(&self, path: &str) -> String {
        format!("{}/{path}", self.tree.stacks)
    }

    /// What is printed about it with all rules: one line for each finding and change.
    pub(crate) fn output(&self) -> String {
        const ALL: [&str; 4] = ["--pedantic", "--preview", "--format", "concise"];
        // Without git, nothing above the folder to start in is part of the project.
        let needs_git = self.before.is_some() || self.tree.start != ".";
        let repo = if needs_git { Repo::new() } else { Repo::plain() };
        let write = |files: &Files| {
            files.iter().for_each(|(path, text)| {
                repo.write(path, text);
            })
        };
        let words = match &self.before {
            None => vec!["check"],
            Some(before) => {
                write(before);
                repo.commit("before");
                for path in before.keys().filter(|path| !self.files.contains_key(*path)) {
                    repo.remove(path);
                }
                vec!["diff", "HEAD", "--worktree"]
            }
        };
        write(&self.files);
        #[cfg(unix)]
        for (path, target) in &self.links {
            repo.link(path, target);
        }
        let run = repo.run_in(self.tree.start, &[&words[..], &ALL].concat());
        assert!(run.status < 2, "{}: {run}", self.tree.name);
        run.stdout
    }

    /// Whether a line of the report is about a marked line.
    pub(crate) fn is_marked(&self, finding: &str) -> bool {
        let mut parts = finding.split(':');
        let (Some(path), Some(Ok(number))) = (parts.next(), parts.next().map(str::parse::<usize>)) else {
            return false;
        };
        let states = [Some(&self.files), self.before.as_ref()];
        let lines = states.into_iter().flatten().filter_map(|files| files.get(path)?.lines().nth(number - 1));
        lines.into_iter().any(|line| line.contains(&self.mark))
    }
}

fn read(folder: &Path, prefix: &str, into: &mut Files) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{name}/"), into);
        } else {
            into.insert(name, std::fs::read_to_string(entry.path()).unwrap().replace("\r\n", "\n"));
        }
    }
}
