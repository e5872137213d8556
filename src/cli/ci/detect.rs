//! The change that a CI system runs for, determined from its variables and its event. A pure function.

use serde_json::Value;

/// A change as a CI system sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) system: System,
    /// The newer side.
    pub(super) head: String,
    pub(super) base: Base,
    /// Why there is nothing to compare with, or what is compared.
    pub(super) note: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Github,
    Other,
}

/// The older side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Revision(String),
    /// The head is what a merge queue made of a change on top of this commit.
    Group(String),
    /// Where the head left a revision.
    Since(String),
    /// The head may be a merge of this commit into the base: then its first parent; else the merge base.
    Merged {
        base: String,
        head: String,
    },
    /// Nothing to compare with: only the head is checked.
    Nothing,
    /// Nothing at all: the branch was deleted.
    Deleted,
}

/// The variables of the CI system.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Detects the CI system. `event` is the content of the file that `GITHUB_EVENT_PATH` names.
pub(super) fn detect(variable: Variables<'_>, event: &Value) -> Option<Job> {
    let set = |name: &str| variable(name).filter(|v| !v.is_empty());
    if set("GITHUB_ACTIONS").is_some() {
        return Some(github(&set, event));
    }
    let (base, note) = if set("GITLAB_CI").is_some() {
        gitlab(&set)
    } else if set("TF_BUILD").is_some() {
        match set("SYSTEM_PULLREQUEST_TARGETBRANCH") {
            Some(target) => (from_branch(&target), "a pull request"),
            None => (Base::Nothing, "Azure Pipelines provides no earlier commit"),
        }
    } else if set("JENKINS_URL").is_some() {
        match (set("CHANGE_TARGET"), set("GIT_PREVIOUS_SUCCESSFUL_COMMIT")) {
            (Some(target), _) => (from_branch(&target), "a pull request"),
            (None, Some(commit)) => (Base::Revision(commit), "the changes since the last successful build"),
            (None, None) => (Base::Nothing, "Jenkins provides no earlier commit"),
        }
    } else {
        return None;
    };
    Some(Job { system: System::Other, head: "HEAD".to_owned(), base, note })
}

/// From where the head left a branch of the remote.
fn from_branch(name: &str) -> Base {
    Base::Since(format!("refs/remotes/origin/{}", name.strip_prefix("refs/heads/").unwrap_or(name)))
}

/// Whether a commit id consists of zeros only.
fn is_null(id: &str) -> bool {
    id.bytes().all(|b| b == b'0')
}

fn github(set: Variables<'_>, event: &Value) -> Job {
    let text = |path: &str| event.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let head = || "HEAD".to_owned();
    let job = |head, base, note| Job { system: System::Github, head, base, note };
    let name = set("GITHUB_EVENT_NAME").unwrap_or_default();
    if let (Some(base), Some(tip)) = (text("/pull_request/base/sha"), text("/pull_request/head/sha")) {
        return match name.as_str() {
            // These run on the base; what is asked about is not checked out.
            "pull_request_target" => job(tip, Base::Since(base), "a pull request"),
            _ => job(head(), Base::Merged { base, head: tip }, "a pull request"),
        };
    }
    if let Some(base) = text("/merge_group/base_sha") {
        return job(head(), Base::Group(base), "a merge group");
    }
    if name == "push" {
        if event.pointer("/deleted").and_then(Value::as_bool) == Some(true) {
            return job(head(), Base::Deleted, "the branch was deleted");
        }
        if let Some(before) = text("/before").filter(|id| !is_null(id)) {
            return job(head(), Base::Revision(before), "a push");
        }
    }
    let reference = set("GITHUB_REF").or_else(|| text("/ref")).unwrap_or_default();
    match (reference.strip_prefix("refs/heads/"), text("/repository/default_branch")) {
        (Some(branch), Some(default)) if branch != default => job(head(), from_branch(&default), "a branch"),
        (Some(_), _) => job(head(), Base::Nothing, "this event on the default branch provides no earlier commit"),
        (None, _) => job(head(), Base::Nothing, "this event provides no earlier commit"),
    }
}

fn gitlab(set: Variables<'_>) -> (Base, &'static str) {
    if let Some(base) = set("CI_MERGE_REQUEST_DIFF_BASE_SHA") {
        return (Base::Revision(base), "a merge request");
    }
    if let Some(before) = set("CI_COMMIT_BEFORE_SHA").filter(|id| !is_null(id)) {
        return (Base::Revision(before), "a push");
    }
    match (set("CI_COMMIT_BRANCH"), set("CI_DEFAULT_BRANCH")) {
        (Some(branch), Some(default)) if branch != default => (from_branch(&default), "a branch"),
        _ => (Base::Nothing, "this pipeline provides no earlier commit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ZEROS: &str = "0000000000000000000000000000000000000000";

    #[track_caller]
    fn check(variables: &[(&str, &str)], event: Value, head: &str, base: Base) {
        let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        let job = detect(&variable, &event).unwrap();
        assert_eq!((job.head.as_str(), job.base), (head, base));
    }

    fn since(branch: &str) -> Base {
        Base::Since(format!("refs/remotes/origin/{branch}"))
    }

    #[test]
    fn events_of_github() {
        let on = |name| [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", name), ("GITHUB_REF", "refs/heads/topic")];
        let default =
            |name| [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", name), ("GITHUB_REF", "refs/heads/main")];
        let tag = [("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "push"), ("GITHUB_REF", "refs/tags/v1")];
        let repository = json!({"default_branch": "main"});
        let pull = json!({"pull_request": {"base": {"sha": "b"}, "head": {"sha": "h"}}, "repository": repository});
        let merged = Base::Merged { base: "b".into(), head: "h".into() };
        check(&on("pull_request"), pull.clone(), "HEAD", merged);
        check(&on("pull_request_target"), pull, "h", Base::Since("b".into()));
        let group = json!({"merge_group": {"base_sha": "b", "head_sha": "h"}});
        check(&on("merge_group"), group, "HEAD", Base::Group("b".into()));
        check(&on("push"), json!({"before": "b", "after": "h"}), "HEAD", Base::Revision("b".into()));
        let first = json!({"before": ZEROS, "created": true, "repository": repository});
        check(&on("push"), first.clone(), "HEAD", since("main"));
        check(&default("push"), first.clone(), "HEAD", Base::Nothing);
        check(&tag, first, "HEAD", Base::Nothing);
        check(&on("push"), json!({"before": "b", "after": ZEROS, "deleted": true}), "HEAD", Base::Deleted);
        check(&on("workflow_dispatch"), json!({"repository": repository}), "HEAD", since("main"));
        check(&default("workflow_dispatch"), json!({"repository": repository}), "HEAD", Base::Nothing);
        check(&on("schedule"), Value::Null, "HEAD", Base::Nothing);
    }

    #[test]
    fn other_systems() {
        let gitlab = ("GITLAB_CI", "true");
        let null = Value::Null;
        check(&[gitlab, ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "b")], null.clone(), "HEAD", Base::Revision("b".into()));
        check(&[gitlab, ("CI_COMMIT_BEFORE_SHA", "b")], null.clone(), "HEAD", Base::Revision("b".into()));
        let branch =
            [gitlab, ("CI_COMMIT_BEFORE_SHA", ZEROS), ("CI_COMMIT_BRANCH", "topic"), ("CI_DEFAULT_BRANCH", "trunk")];
        check(&branch, null.clone(), "HEAD", since("trunk"));
        check(&[gitlab, ("CI_COMMIT_BRANCH", "a"), ("CI_DEFAULT_BRANCH", "a")], null.clone(), "HEAD", Base::Nothing);
        let azure = ("TF_BUILD", "True");
        check(&[azure, ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main")], null.clone(), "HEAD", since("main"));
        check(&[azure], null.clone(), "HEAD", Base::Nothing);
        let jenkins = ("JENKINS_URL", "https://example.com/");
        check(&[jenkins, ("CHANGE_TARGET", "main")], null.clone(), "HEAD", since("main"));
        let last = ("GIT_PREVIOUS_SUCCESSFUL_COMMIT", "b");
        check(&[jenkins, last], null.clone(), "HEAD", Base::Revision("b".into()));
        check(&[jenkins], null.clone(), "HEAD", Base::Nothing);
        assert_eq!(detect(&|_| None, &null), None);
        assert_eq!(detect(&|name| (name == "GITHUB_ACTIONS").then(String::new), &null), None);
    }
}
