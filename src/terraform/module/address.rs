//! Addresses of modules, as written in `source`.

use crate::paths::REPOSITORY;

/// The target of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A folder of the repository: a path from the module that begins with `./` or `../`, or one from the root of the repository, which
    /// begins with [`REPOSITORY`].
    Local(String),
    /// A module of a registry.
    Registry(String),
    /// A package to be fetched.
    Remote(String),
}

/// Reads the address of a module without a version.
///
/// # Errors
/// Why it is none.
pub(crate) fn parse(source: &str) -> Result<Address, String> {
    if source.trim().is_empty() {
        return Err("failed to parse module source address: it is empty".to_owned());
    }
    if is_local(source) {
        return Ok(Address::Local(source.to_owned()));
    }
    if let Some(registry) = registry(source) {
        return Ok(Address::Registry(registry));
    }
    remote(source)
}

/// Reads the address of a module with a version, which only a registry has.
///
/// # Errors
/// Why it is none.
pub(crate) fn parse_registry(source: &str) -> Result<Address, String> {
    let because = "a module registry address is needed because the argument \"version\" is set, which applies only to registry modules";
    if is_local(source) {
        return Err(format!("can't use local directory \"{source}\" as a module registry address; {because}"));
    }
    registry(source)
        .map(Address::Registry)
        .ok_or_else(|| format!("\"{source}\" is not a module registry address; {because}"))
}

fn is_local(source: &str) -> bool {
    if let Some(rest) = source.strip_prefix(REPOSITORY) {
        return rest.is_empty() || rest.starts_with('/');
    }
    let Some(rest) = source.strip_prefix("..").or_else(|| source.strip_prefix('.')) else { return false };
    rest.is_empty() || rest.starts_with(['/', '\\'])
}

/// Whether a text is the name of a host, with a port or without.
pub(crate) fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric())
    };
    name.split('.').all(is_label) && port.parse::<u16>().is_ok()
}

/// `[HOST/]NAMESPACE/NAME/SYSTEM[//FOLDER]`
fn registry(source: &str) -> Option<String> {
    let (package, folder) = match source.split_once("//") {
        Some((package, folder)) => (package, Some(folder)),
        None => (source, None),
    };
    if package.contains(['?', '@', ' ']) || package.contains("::") {
        return None;
    }
    let parts: Vec<&str> = package.split('/').collect();
    let (host, parts) = match parts.as_slice() {
        [host, rest @ ..] if rest.len() == 3 => (Some(*host), rest),
        all => (None, all),
    };
    let is_name = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    if parts.len() != 3 || !parts.iter().all(is_name) || folder.is_some_and(|f| f.contains("..")) {
        return None;
    }
    let system = parts.last().is_some_and(|s| s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    let is_host = |host: &str| {
        let name = host.split_once(':').map_or(host, |(name, _)| name);
        let is_registry = name.contains('.') || name == "localhost";
        is_registry && is_host(host) && !matches!(name, "github.com" | "bitbucket.org" | "gitlab.com")
    };
    match host {
        Some(host) if !is_host(host) || !system => None,
        None if !system => None,
        Some(_) => Some(source.to_owned()),
        None => Some(format!("registry.opentofu.org/{source}")),
    }
}

const SCHEMES: [&str; 9] = ["git", "hg", "s3", "gcs", "http", "https", "oci", "file", "ssh"];

fn remote(source: &str) -> Result<Address, String> {
    let done = |normal: String| Ok(Address::Remote(normal));
    if source.starts_with('/') {
        return done(format!("file://{source}"));
    }
    let forced = source.split_once("::").map(|(getter, _)| getter);
    if let Some(getter) = forced {
        return match SCHEMES.contains(&getter) {
            true => done(source.to_owned()),
            false => Err(format!("invalid module source address: \"{getter}::\" is not a way to fetch a module")),
        };
    }
    if let Some((scheme, _)) = source.split_once("://") {
        return match SCHEMES.contains(&scheme) {
            true => done(source.to_owned()),
            false => Err(format!("invalid module source address: \"{scheme}://\" is not a way to fetch a module")),
        };
    }
    for host in ["github.com/", "bitbucket.org/", "gitlab.com/"] {
        if let Some(rest) = source.strip_prefix(host) {
            let (path, query) = rest.split_once('?').map_or((rest, String::new()), |(p, q)| (p, format!("?{q}")));
            let (repository, folder) =
                path.split_once("//").map_or((path, String::new()), |(r, f)| (r, format!("//{f}")));
            let repository = repository.trim_end_matches(".git");
            return match repository.split('/').count() {
                0 | 1 => Err(format!("invalid module source address: {host} needs an owner and a repository")),
                _ => done(format!("git::https://{host}{repository}.git{folder}{query}")),
            };
        }
    }
    // git@host:path
    if let Some((user, rest)) = source.split_once('@')
        && let Some((host, path)) = rest.split_once(':')
        && !user.is_empty()
        && !user.contains('/')
    {
        return done(format!("git::ssh://{user}@{host}/{path}"));
    }
    Err(format!(
        "invalid module source address: OpenTofu cannot tell how to fetch \"{source}\"; a path relative to the current \
         module must start with \"./\" or \"../\""
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished() {
        let remote = |text: &str| Ok(Address::Remote(text.to_owned()));
        assert_eq!(parse("./a"), Ok(Address::Local("./a".to_owned())));
        assert_eq!(parse("a/b/aws"), Ok(Address::Registry("registry.opentofu.org/a/b/aws".to_owned())));
        assert_eq!(parse("r.example.com/a/b/aws//x"), Ok(Address::Registry("r.example.com/a/b/aws//x".to_owned())));
        assert_eq!(parse("github.com/a/b//c?ref=v1"), remote("git::https://github.com/a/b.git//c?ref=v1"));
        assert_eq!(parse("git@github.com:a/b.git"), remote("git::ssh://git@github.com/a/b.git"));
        assert_eq!(parse("/opt/x"), remote("file:///opt/x"));
        assert_eq!(parse("https://example.com/x.zip"), remote("https://example.com/x.zip"));
        assert!(parse("r.example.com:8443/a/b/aws").is_ok());
        for wrong in ["", "modules/network", "42", "a/b", "svn::x", "---.com/a/b/aws", "r..com/a/b/aws"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse_registry("./a").is_err() && parse_registry("a/b/aws").is_ok());
    }
}
