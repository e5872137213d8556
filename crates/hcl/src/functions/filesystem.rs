//! Files and paths.

use super::hashes::{hex, md5, sha1, sha256, sha512};
use super::{Args, Content, FORGETTING, Fail, FileError, Function, MAPPING, Outcome, S, file_failed, function};
use crate::ast::walk;
use crate::ast::{Expr, Name, TraversalStep};
use crate::eval::Scope;
use crate::parse::parse_template;
use crate::types::Type;
use crate::val::{Entries, Val};
use go_compat::doublestar::Glob;
use go_compat::encoding::base64_encode;
use go_compat::path::{base, clean, dir};
use traced_value::{FileId, Origin, Prov};

pub(super) const ALL: &[Function] = &[
    function("abspath", &[S], abspath),
    function("basename", &[S], |a| Ok(Val::str(base(a.str(0))))),
    function("dirname", &[S], |a| Ok(Val::str(dir(a.str(0))))),
    function("file", &[FORGETTING], file),
    function("filebase64", &[FORGETTING], |a| encoded(a, base64_encode)),
    function("filebase64sha256", &[S], |a| encoded(a, |b| base64_encode(&sha256(b)))),
    function("filebase64sha512", &[S], |a| encoded(a, |b| base64_encode(&sha512(b)))),
    function("fileexists", &[FORGETTING], |a| {
        not_at_home(a.str(0), |wrong| Fail::Call(format!("failed to expand ~: {wrong}")))?;
        let found = a.evaluator.files.exists(a.str(0)).map_err(file_failed(0))?;
        Ok(Val::bool(found))
    }),
    function("filemd5", &[S], |a| encoded(a, |b| hex(&md5(b)))),
    function("fileset", &[FORGETTING, FORGETTING], file_set),
    function("filesha1", &[S], |a| encoded(a, |b| hex(&sha1(b)))),
    function("filesha256", &[S], |a| encoded(a, |b| hex(&sha256(b)))),
    function("filesha512", &[S], |a| encoded(a, |b| hex(&sha512(b)))),
    function("pathexpand", &[S], |a| {
        not_at_home(a.str(0), |wrong| Fail::Call(wrong.to_owned()))?;
        Ok(Val::str(a.str(0)))
    }),
    function("templatefile", &[FORGETTING, MAPPING.lenient()], template_file).sees_unknown(),
    function("templatestring", &[FORGETTING, MAPPING.forgetting().lenient()], template_string).sees_unknown(),
];

/// How deep templates call each other.
const MAX_TEMPLATES: usize = 32;

fn abspath(args: &mut Args<'_, '_>) -> Outcome {
    let path = args.str(0);
    if path.starts_with('/') {
        return Ok(Val::str(clean(path)));
    }
    match args.evaluator.files.folder() {
        Some(folder) => Ok(Val::str(clean(&format!("{folder}/{path}")))),
        None => Err(Fail::Unknown("the absolute path of the folder is not known".to_owned())),
    }
}

/// Fails for a path that begins in the home folder of the user, which is not known, or in that of another one, which OpenTofu does
/// not look up: `wrong` says so.
fn not_at_home(path: &str, wrong: fn(&str) -> Fail) -> Result<(), Fail> {
    match path.strip_prefix('~') {
        None => Ok(()),
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
            Err(Fail::Unknown("the home folder of the user is not known".to_owned()))
        }
        Some(_) => Err(wrong("cannot expand user-specific home dir")),
    }
}

fn read(args: &Args<'_, '_>) -> Result<Content, Fail> {
    not_at_home(args.str(0), |wrong| Fail::Argument(0, format!("failed to expand ~: {wrong}")))?;
    args.evaluator.files.read(args.str(0)).map_err(file_failed(0))
}

fn origin(content: &Content) -> Prov {
    Prov::at(Origin { file: content.file, key: 0, start: 0, end: content.bytes.len() as u32 })
}

fn file(args: &mut Args<'_, '_>) -> Outcome {
    let content = read(args)?;
    match std::str::from_utf8(&content.bytes) {
        Ok(text) => Ok(Val::str(text).with_prov(origin(&content))),
        Err(_) => {
            let message = format!(
                "contents of \"{}\" are not valid UTF-8; use the filebase64 function to obtain the Base64 encoded contents \
                 or the other file functions (e.g. filemd5, filesha256) to obtain file hashing results instead",
                args.str(0)
            );
            Err(Fail::Argument(0, message))
        }
    }
}

fn encoded(args: &mut Args<'_, '_>, encode: fn(&[u8]) -> String) -> Outcome {
    let content = read(args)?;
    Ok(Val::str(encode(&content.bytes)).with_prov(origin(&content)))
}

fn file_set(args: &mut Args<'_, '_>) -> Outcome {
    let pattern = Glob::new(args.str(1)).map_err(|e| Fail::Call(format!("failed to glob pattern: {e}")))?;
    let all = args.evaluator.files.below(args.str(0)).map_err(file_failed(0))?;
    // A step for each path, and for each four bytes that it is compared with.
    let steps = all.len() as u64 * (1 + args.str(1).len() as u64 / 4);
    if !args.evaluator.budget.take(steps) {
        return Err(Fail::Unknown(format!("to compare {} paths takes too many steps", all.len())));
    }
    let found = all.iter().filter(|path| pattern.matches(path)).map(|path| Val::str(path.as_str())).collect();
    Ok(Val::set(Type::Str, found))
}

/// Names of a template: the entries of its variables.
struct Variables<'a>(&'a Entries);

impl Scope for Variables<'_> {
    fn get(&self, root: &Name, _: &[TraversalStep]) -> Option<(Val, usize)> {
        self.0.get(&root.text).map(|value| (value.clone(), 0))
    }
}

/// Nothing is known of a template without its text or the names of its variables.
fn known(args: &Args<'_, '_>) -> Result<(), Fail> {
    let unknown = args.values.iter().find(|value| value.is_unknown()).and_then(Val::unknown_reason);
    unknown.map_or(Ok(()), |reason| Err(Fail::Unknown(reason.to_string())))
}

fn template_file(args: &mut Args<'_, '_>) -> Outcome {
    known(args)?;
    let content = read(args)?;
    let Ok(text) = std::str::from_utf8(&content.bytes) else {
        return Err(Fail::Argument(0, format!("contents of \"{}\" are not valid UTF-8", args.str(0))));
    };
    let value = render(args, text, Some(content.file), 1)?;
    let prov = origin(&content);
    let own = value.prov.clone();
    Ok(value.with_prov(prov.with_inputs([own])))
}

fn template_string(args: &mut Args<'_, '_>) -> Outcome {
    known(args)?;
    let text = args.str(0).to_owned();
    render(args, &text, None, 1)
}

fn render(args: &mut Args<'_, '_>, text: &str, file: Option<FileId>, variables: usize) -> Outcome {
    let Some(entries) = args.values[variables].as_entries().cloned() else {
        return Err(Fail::Argument(variables, "invalid vars value: must be a map".to_owned()));
    };
    for name in entries.keys() {
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if !is_name {
            let message = format!(
                "invalid template variable name \"{name}\": must start with a letter, followed by zero or more letters, \
                 digits, and underscores"
            );
            return Err(Fail::Argument(variables, message));
        }
    }
    if args.evaluator.templates >= MAX_TEMPLATES {
        return Err(Fail::Call(format!("maximum recursion depth {MAX_TEMPLATES} reached")));
    }
    let failed = |error: Option<String>| Fail::Call(error.unwrap_or_else(|| "the template is malformed".to_owned()));
    let expr: Expr =
        parse_template(text).map_err(|e| failed(e.first().map(|e| format!("{}; {}", e.summary, e.detail))))?;
    let missing = walk::references(&expr).into_iter().find(|r| !entries.contains_key(&r.root.text));
    if let Some(reference) = missing {
        let message =
            format!("vars map does not contain key \"{}\", which the template refers to", reference.root.text);
        return Err(Fail::Argument(variables, message));
    }
    let scope = Variables(&entries);
    let file_of = file.unwrap_or(args.evaluator.file);
    let mut inner = args.evaluator.for_template(file_of, &scope);
    let mut value = inner.eval(&expr);
    let problem = inner.problems.into_iter().next();
    if file.is_none() {
        value.prov = Prov::default();
    }
    match problem {
        Some(problem) => Err(Fail::Call(format!("{}; {}", problem.summary, problem.detail.trim_end_matches('.')))),
        None => Ok(value),
    }
}

impl From<FileError> for Fail {
    fn from(error: FileError) -> Self {
        file_failed(0)(error)
    }
}
