//! Addresses of modules, independent of any tool: the package, the folder in it, and the requested revision.

/// An address that code is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Everything in front of the folder and the arguments.
    pub package: String,
    /// The folder in the package.
    pub folder: String,
    /// The revision or tag that `ref` (or `version`, `tag`) names.
    pub reference: Option<String>,
}

impl Address {
    /// Parses an address. Text that is not an address is treated as a package.
    pub(crate) fn parse(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let reference = query.split('&').find_map(|argument| {
            let (name, value) = argument.split_once('=')?;
            matches!(name, "ref" | "tag" | "version").then(|| value.to_owned())
        });
        // `//` behind the scheme separates the folder.
        let start = path.find("://").map_or(0, |at| at + 3);
        let (package, folder) = match path[start..].find("//") {
            Some(at) => (&path[..start + at], &path[start + at + 2..]),
            None => (path, ""),
        };
        let package = package.trim_end_matches('/').trim_end_matches(".git");
        Address { package: package.to_owned(), folder: folder.to_owned(), reference }
    }

    /// Whether it is a folder of the same repository.
    pub(crate) fn is_local(&self) -> bool {
        self.package.starts_with('.')
    }

    /// Whether both lead to the same code, in any version: local folders are compared by name, because their relative
    /// paths depend on the caller.
    pub(crate) fn is_same_code(&self, other: &Address) -> bool {
        let last = |address: &Address| address.package.rsplit('/').next().unwrap_or_default().to_owned();
        match (self.is_local(), other.is_local()) {
            (true, true) => last(self) == last(other),
            (false, false) => self.whole_package() == other.whole_package() && self.folder == other.folder,
            _ => false,
        }
    }

    /// The package, with who publishes a provider that is one word.
    fn whole_package(&self) -> String {
        match self.package.contains(['/', ':', '.']) {
            true => self.package.clone(),
            false => format!("hashicorp/{}", self.package),
        }
    }

    /// Whether it specifies the revision of a package of a repository, if the address supports that.
    pub(crate) fn is_pinned(&self) -> bool {
        let is_repository = self.package.contains("git::")
            || self.package.starts_with("git@")
            || ["github.com/", "gitlab.com/", "bitbucket.org/"].iter().any(|host| self.package.starts_with(host));
        !is_repository || self.reference.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses() {
        let address = Address::parse("git::https://example.com/x.git//a/b?ref=v1.2");
        assert_eq!((&*address.package, &*address.folder), ("git::https://example.com/x", "a/b"));
        assert_eq!(address.reference.as_deref(), Some("v1.2"));
        assert!(address.is_same_code(&Address::parse("git::https://example.com/x//a/b?ref=v2")));
        assert!(!address.is_same_code(&Address::parse("git::https://example.com/x//a/c?ref=v1.2")));
        assert!(!Address::parse("github.com/a/b").is_pinned() && Address::parse("a/b/aws").is_pinned());
        assert!(Address::parse("../m/vpc").is_same_code(&Address::parse("../../m/vpc")));
        assert!(Address::parse("aws").is_same_code(&Address::parse("hashicorp/aws")));
        assert!(!Address::parse("hashicorp/aws").is_same_code(&Address::parse("example.com/hashicorp/aws")));
        assert!(!Address::parse("./m/vpc").is_same_code(&Address::parse("./m/vpc2")));
    }
}
