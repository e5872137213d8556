//! URLs as Go's `net/url` takes them apart.

use super::call::data;
use super::cast::data_kind;
use crate::{Object, Val};
use go_compat::escape;
use go_compat::strconv;
use std::fmt::Write;
use traced_value::{Data, Key, Map, Value};

/// The parts of a URL; `user` is as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Url {
    scheme: String,
    opaque: String,
    user: Option<String>,
    host: String,
    path: String,
    /// The path as it was written, where that is a possible spelling.
    raw_path: Option<String>,
    query: String,
    force_query: bool,
    fragment: String,
}

/// Reads a URL.
pub(super) fn parse(text: &str) -> Result<Url, String> {
    let fail = |why: &str| format!("parse {}: {why}", strconv::quote(text, false));
    if text.chars().any(|c| c < ' ' || c == '\u{7f}') {
        return Err(fail("net/url: invalid control character in URL"));
    }
    let (text_part, fragment) = text.split_once('#').unwrap_or((text, ""));
    let fragment = decode(fragment).map_err(|e| fail(&e))?;
    let mut url = Url { fragment, ..Url::default() };
    let (scheme, rest) = scheme(text_part).map_err(&fail)?;
    url.scheme = scheme.to_ascii_lowercase();
    let mut rest = rest;
    if rest.ends_with('?') && rest.matches('?').count() == 1 {
        url.force_query = true;
        rest = &rest[..rest.len() - 1];
    } else if let Some((before, query)) = rest.split_once('?') {
        url.query = query.into();
        rest = before;
    }
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            url.opaque = rest.into();
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|s| s.contains(':')) {
            return Err(fail("first path segment in URL cannot contain colon"));
        }
    }
    if let Some(after) = rest.strip_prefix("//").filter(|_| !url.scheme.is_empty() || !rest.starts_with("///")) {
        let end = after.find('/').unwrap_or(after.len());
        let (authority, path) = after.split_at(end);
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
        url.user = user.map(str::to_owned);
        check_host(host).map_err(|e| fail(&e))?;
        url.host = host.into();
        rest = path;
    }
    url.path = decode(rest).map_err(|e| fail(&e))?;
    let possible = |c: char| c.is_ascii_alphanumeric() || "-_.~$&+,/:;=@!'()*[]%".contains(c);
    url.raw_path = Some(rest).filter(|r| r.chars().all(possible)).map(str::to_owned);
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (i, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if i > 0 => {}
            ':' if i == 0 => return Err("missing protocol scheme"),
            ':' => return Ok((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = match host.strip_prefix('[') {
        Some(inner) => inner.split_once(']').ok_or("missing ']' in host")?.1,
        None => host.find(':').map_or("", |i| &host[i..]),
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) || (!port.is_empty() && !port.starts_with(':')) {
        return Err(format!("invalid port {} after host", strconv::quote(port, false)));
    }
    match host.chars().find(|c| c.is_ascii() && " \"<>^`{|}\\".contains(*c)) {
        Some(c) => Err(format!("invalid character {} in host name", strconv::quote(&c.to_string(), false))),
        None => Ok(()),
    }
}

fn decode(text: &str) -> Result<String, String> {
    if !text.contains('%') {
        return Ok(text.into());
    }
    let out = escape::unpercent(text)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Escapes characters that are not allowed in a path (or fragment).
fn encode(text: &str, extra: &str) -> String {
    escape::percent(text, &format!("-_.~$&+,/:;=@{extra}"))
}

impl Url {
    fn hostname(&self) -> &str {
        match self.host.strip_prefix('[').and_then(|h| h.split_once(']')) {
            Some((inner, _)) => inner,
            None => self.host.split(':').next().unwrap_or_default(),
        }
    }

    fn port(&self) -> &str {
        let after = self.host.rsplit_once(']').map_or(self.host.as_str(), |(_, p)| p);
        after.split_once(':').map_or("", |(_, p)| p)
    }

    fn escaped_path(&self) -> String {
        self.raw_path.clone().unwrap_or_else(|| encode(&self.path, ""))
    }

    fn text(&self) -> String {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            let _ = write!(out, "{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
                if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                    out.push_str("//");
                }
                if let Some(user) = &self.user {
                    let _ = write!(out, "{user}@");
                }
                out.push_str(&self.host);
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            if out.is_empty() && path.split('/').next().is_some_and(|s| s.contains(':')) {
                out.push_str("./");
            }
            out.push_str(&path);
        } else {
            out.push_str(&self.opaque);
        }
        if self.force_query || !self.query.is_empty() {
            let _ = write!(out, "?{}", self.query);
        }
        if !self.fragment.is_empty() {
            let _ = write!(out, "#{}", encode(&self.fragment, "!'()*?"));
        }
        out
    }
}

impl Object for Url {
    fn call(&self, name: &str, _: &[Val]) -> Result<Val, String> {
        let text = match name {
            "Scheme" => self.scheme.clone(),
            "Opaque" => self.opaque.clone(),
            "Host" => self.host.clone(),
            "Hostname" => self.hostname().into(),
            "Port" => self.port().into(),
            "Path" => self.path.clone(),
            "EscapedPath" => self.escaped_path(),
            "RawQuery" => self.query.clone(),
            "Fragment" => self.fragment.clone(),
            "User" => self.user.clone().unwrap_or_default(),
            "String" => self.text(),
            "RequestURI" => {
                let path = if self.path.is_empty() { "/".into() } else { self.escaped_path() };
                if self.query.is_empty() { path } else { format!("{path}?{}", self.query) }
            }
            "IsAbs" => return Ok(Data::Bool(!self.scheme.is_empty()).into()),
            _ => return Err(format!("can't evaluate field {name} in type *url.URL")),
        };
        Ok(Value::str(text).into())
    }

    fn has(&self, name: &str) -> bool {
        [
            "Scheme",
            "Opaque",
            "Host",
            "Hostname",
            "Port",
            "Path",
            "EscapedPath",
            "RawQuery",
            "Fragment",
            "User",
            "String",
            "RequestURI",
            "IsAbs",
        ]
        .contains(&name)
    }

    fn print(&self) -> String {
        self.text()
    }

    fn type_name(&self) -> &'static str {
        "*url.URL"
    }
}

/// sprig's `urlParse`.
pub(super) fn to_dict(text: &str) -> Result<Vec<(Key, Value)>, String> {
    let url = parse(text).map_err(|e| format!("unable to parse url: {e}"))?;
    let hostname = url.hostname().to_owned();
    let parts = [
        ("scheme", url.scheme),
        ("host", url.host),
        ("hostname", hostname),
        ("path", url.path),
        ("query", url.query),
        ("opaque", url.opaque),
        ("fragment", url.fragment),
        ("userinfo", url.user.unwrap_or_default()),
    ];
    Ok(parts.into_iter().map(|(key, text)| (key.into(), Value::str(text))).collect())
}

/// sprig's `urlJoin`.
pub(super) fn from_dict(dict: &Map) -> Result<String, String> {
    let part = |key: &str| match dict.get(key).map(|v| &v.data) {
        None => Ok(String::new()),
        Some(Data::Str(text)) => Ok(text.to_string()),
        Some(Data::Null) => Err("runtime error: invalid memory address or nil pointer dereference".to_owned()),
        Some(other) => {
            Err(format!("unable to parse {key} key, must be of type string, but {} found", data_kind(other)))
        }
    };
    let user = part("userinfo")?;
    let url = Url {
        scheme: part("scheme")?,
        opaque: part("opaque")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        fragment: part("fragment")?,
        user: Some(user).filter(|u| !u.is_empty()),
        force_query: false,
        raw_path: None,
    };
    Ok(url.text())
}

/// gomplate's `conv.URL`.
pub(super) fn to_object(value: &Val) -> Result<Val, String> {
    if let Data::Unknown(_) = data(value) {
        return Ok(value.clone());
    }
    parse(&super::cast::conv_text(value)).map(|url| Val::Object(std::sync::Arc::new(url)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        for text in ["https://u:p@h.test:99/a%20b?q=1#f", "mailto:x@y.z", "/a/b", "http://[::1]:80/", "a/b?x"] {
            assert_eq!(parse(text).unwrap().text(), text);
        }
        let url = parse("https://h.test:99/p?q=1").unwrap();
        assert_eq!((url.hostname(), url.port(), url.path.as_str()), ("h.test", "99", "/p"));
        assert!(parse("http://h:x/").is_err() && parse(":x").is_err() && parse("/%zz").is_err());
    }
}
