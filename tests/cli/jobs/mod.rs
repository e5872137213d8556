//! The jobs of a pipeline: a file for each tool, the order, the reasons, and what every system has in common.

mod formats;
mod reasons;
mod systems;

use crate::common::Repo;
use serde_json::Value;

/// A repository whose last commit edits a network and the code of a service, removes a component, renames one, and leaves the rest.
/// `web` needs `database`, which does not change, which needs `network`.
fn repo() -> Repo {
    let repo = Repo::atmos();
    let stack = "vars: {stage: dev}
components:
  terraform:
    network: {vars: {size: 1}}
    database:
      vars: {name: db}
      dependencies: {components: [{component: network}]}
    web:
      metadata: {component: service}
      vars: {port: 80}
      dependencies: {components: [{component: database}]}
    dns: {vars: {zone: a}}
    old: {vars: {x: 1}}
    oldest:
      vars: {x: 1}
      dependencies: {components: [{component: old}]}
    off: {metadata: {enabled: false}, vars: {size: 1}}
    fixed: {metadata: {locked: true}, vars: {size: 1}}
    base: {metadata: {type: abstract}, vars: {size: 1}}
";
    for name in ["network", "database", "service", "dns", "old", "oldest", "off", "fixed"] {
        repo.write(&format!("components/terraform/{name}/main.tf"), "# code\nvariable \"size\" {\n  default = 0\n}\n");
    }
    repo.write("components/terraform/service/main.tf", "module \"m\" {\n  source = \"../../../modules/m\"\n}\n")
        .write("modules/m/main.tf", "output \"x\" {\n  value = 1\n}\n")
        .write("stacks/deploy/dev.yaml", stack)
        .commit("base");
    let gone = stack.find("    old:").unwrap()..stack.find("    off:").unwrap();
    let mut head = stack.replace("size: 1", "size: 2");
    head.replace_range(gone, "");
    repo.write("stacks/deploy/dev.yaml", head).edit("modules/m/main.tf", "value = 1", "value = 2").commit("head");
    repo
}

/// The waves of a comparison: the components of their jobs.
fn waves(repo: &Repo, arguments: &[&str]) -> Vec<Vec<String>> {
    let run = repo.run(&[&["diff", "HEAD~1..HEAD", "--format", "waves"], arguments].concat());
    let matrices = run.json()["waves"].as_array().unwrap().clone();
    let names = |matrix: &Value| {
        let jobs = matrix["include"].as_array().unwrap().iter();
        jobs.map(|job| job["component"].as_str().unwrap().to_owned()).collect()
    };
    matrices.iter().map(names).collect()
}
