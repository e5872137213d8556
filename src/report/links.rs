//! Addresses on the web: pages of rules, and lines of files where the remote of the repository shows them.

use crate::diagnostic::{Group, Rule};
use crate::go::escape::percent;

/// Where stacklint lives.
pub(super) const HOME: &str = "https://github.com/stacklint/stacklint";
/// The folder with the pages of the rules.
const RULE_PAGES: &str = "https://github.com/stacklint/stacklint/blob/main/docs/rules/";

/// The page about policies.
const POLICIES: &str = "https://github.com/stacklint/stacklint/blob/main/docs/policies.md";

/// The page of a rule; of a policy that about policies.
pub(crate) fn rule_page(rule: &Rule) -> String {
    if rule.group == Group::Policy { POLICIES.to_owned() } else { format!("{RULE_PAGES}{}.md", rule.id()) }
}

/// A path with `/` as part of a URI: all but letters, digits, `-`, `.`, `_`, `~` and `/` is percent-encoded.
pub(super) fn percent_encoded(path: &str) -> String {
    percent(path, "-._~/")
}

/// The kind of platform that hosts a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forge {
    GitHub,
    GitLab,
    Bitbucket,
    /// Bitbucket on a server of one's own, which has other addresses.
    BitbucketServer,
    /// Something whose addresses of files are not known.
    Other,
}

/// A repository on the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Web {
    forge: Forge,
    url: String,
}

impl Web {
    /// Returns the repository of a remote: a URL (`https`, `http`, `ssh`, `git`) or `user@host:path`. `None` for local
    /// paths and paths that are not a repository of an owner.
    pub(super) fn of(remote: &str) -> Option<Self> {
        let (scheme, authority, path) = split(remote.trim())?;
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        if host.is_empty() || !host.chars().all(plain) || path.contains(['?', '#', '%', '\\']) {
            return None;
        }
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let mut parts: Vec<&str> = path.split('/').collect();
        if parts.len() < 2 || parts.iter().any(|p| p.is_empty() || *p == "." || *p == "..") {
            return None;
        }
        let forge = forge(host);
        let site = match scheme {
            // These hosts serve git alone, on a port that firewalls let through.
            _ if host == "ssh.github.com" => "https://github.com".to_owned(),
            _ if host == "altssh.gitlab.com" => "https://gitlab.com".to_owned(),
            _ if host == "altssh.bitbucket.org" => "https://bitbucket.org".to_owned(),
            "http" | "https" => format!("{scheme}://{authority}"),
            _ => format!("https://{host}"),
        };
        if forge == Forge::BitbucketServer {
            if parts[0] == "scm" {
                parts.remove(0);
            }
            let [project, name] = parts[..] else { return None };
            let (project, name) = (percent_encoded(project), percent_encoded(name));
            return Some(Web { forge, url: format!("{site}/projects/{project}/repos/{name}") });
        }
        Some(Web { forge, url: format!("{site}/{}", percent_encoded(path)) })
    }

    /// The owner and the name of the repository: `acme/infra`.
    pub(super) fn name(&self) -> &str {
        let mut slashes = self.url.match_indices('/').skip(2);
        slashes.next().map_or("", |(at, _)| &self.url[at + 1..])
    }

    /// The page of the repository.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The page that shows lines (from 1, both included) of the file at `path` in a commit; `None` where the addresses of
    /// the site are not known.
    pub(super) fn lines(&self, commit: &str, path: &str, first: u32, last: u32) -> Option<String> {
        if !commit.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let (url, path) = (&self.url, percent_encoded(path));
        let several = last > first;
        let range = |join: &str| if several { format!("{first}{join}{last}") } else { first.to_string() };
        match self.forge {
            Forge::GitHub => Some(format!("{url}/blob/{commit}/{path}#L{}", range("-L"))),
            Forge::GitLab => Some(format!("{url}/-/blob/{commit}/{path}#L{}", range("-"))),
            Forge::Bitbucket => Some(format!("{url}/src/{commit}/{path}#lines-{}", range(":"))),
            Forge::BitbucketServer => Some(format!("{url}/browse/{path}?at={commit}#{}", range("-"))),
            Forge::Other => None,
        }
    }
}

/// Scheme, user with host and port, and path of a remote.
fn split(remote: &str) -> Option<(&str, &str, &str)> {
    if let Some((scheme, rest)) = remote.split_once("://") {
        let scheme = scheme.strip_prefix("git+").unwrap_or(scheme);
        let (authority, path) = rest.split_once('/')?;
        return matches!(scheme, "http" | "https" | "ssh" | "git").then_some((scheme, authority, path));
    }
    // `host:path`, unless it is a path on a drive of Windows.
    let (authority, path) = remote.split_once(':')?;
    (authority.len() > 1 && !authority.contains('/')).then_some(("ssh", authority, path))
}

/// The kind of platform, determined from the name of the host.
fn forge(host: &str) -> Forge {
    let named = |name: &str| host.split('.').any(|label| label.to_ascii_lowercase().starts_with(name));
    if named("github") {
        Forge::GitHub
    } else if named("gitlab") {
        Forge::GitLab
    } else if host.eq_ignore_ascii_case("bitbucket.org") || host.to_ascii_lowercase().ends_with(".bitbucket.org") {
        Forge::Bitbucket
    } else if named("bitbucket") {
        Forge::BitbucketServer
    } else {
        Forge::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_on_the_web() {
        for (remote, expected) in [
            ("https://github.com/acme/infra.git", "https://github.com/acme/infra/blob/abc/a%20b/c.yaml#L3-L5"),
            ("git@github.com:acme/infra.git", "https://github.com/acme/infra/blob/abc/a%20b/c.yaml#L3-L5"),
            (
                "ssh://git@ssh.github.com:443/acme/infra.git",
                "https://github.com/acme/infra/blob/abc/a%20b/c.yaml#L3-L5",
            ),
            ("git://github.com/acme/infra", "https://github.com/acme/infra/blob/abc/a%20b/c.yaml#L3-L5"),
            ("https://github.acme.io:8443/a/b/", "https://github.acme.io:8443/a/b/blob/abc/a%20b/c.yaml#L3-L5"),
            ("git@gitlab.com:a/sub/b.git", "https://gitlab.com/a/sub/b/-/blob/abc/a%20b/c.yaml#L3-5"),
            ("https://gitlab.acme.io/a/b.git", "https://gitlab.acme.io/a/b/-/blob/abc/a%20b/c.yaml#L3-5"),
            ("git@bitbucket.org:a/b.git", "https://bitbucket.org/a/b/src/abc/a%20b/c.yaml#lines-3:5"),
            (
                "ssh://git@bitbucket.acme.io:7999/ops/b.git",
                "https://bitbucket.acme.io/projects/ops/repos/b/browse/a%20b/c.yaml?at=abc#3-5",
            ),
            (
                "https://bitbucket.acme.io/scm/ops/b.git",
                "https://bitbucket.acme.io/projects/ops/repos/b/browse/a%20b/c.yaml?at=abc#3-5",
            ),
            ("https://user:pass@github.com/a/b", "https://github.com/a/b/blob/abc/a%20b/c.yaml#L3-L5"),
        ] {
            let web = Web::of(remote).unwrap_or_else(|| panic!("{remote}"));
            assert_eq!(web.lines("abc", "a b/c.yaml", 3, 5).as_deref(), Some(expected), "{remote}");
        }
        let web = Web::of("git@github.com:a/b.git").unwrap();
        assert_eq!(web.lines("abc", "ü#?.yaml", 7, 7).unwrap(), "https://github.com/a/b/blob/abc/%C3%BC%23%3F.yaml#L7");
    }

    #[test]
    fn what_is_no_page() {
        for remote in [
            "",
            "/srv/git/a/b.git",
            "../a/b",
            "C:/git/a/b",
            "C:\\git\\a",
            "file:///srv/git/a/b",
            "https://github.com/",
            "https://github.com/a",
            "https://github.com/a/../b",
            "https://git<hub.com/a/b",
            "https://github.com/a/b?x=1",
            "git@:a/b",
        ] {
            assert_eq!(Web::of(remote), None, "{remote}");
        }
        let other = Web::of("https://git.acme.io/a/b.git").unwrap();
        assert_eq!((other.url(), other.lines("abc", "x", 1, 1)), ("https://git.acme.io/a/b", None));
    }
}
