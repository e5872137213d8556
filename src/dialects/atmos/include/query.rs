//! Queries on included files: the language of `yq`, as Atmos reads its answers. The answer is printed and read back as YAML, so text may
//! turn into a number or a map, and several results melt into whatever their lines mean together.

use super::embed::embed;
use crate::value::{Data, Value};
pub(crate) use yq::QueryError;
use yq::print;

/// Evaluates an expression as Atmos does: the document is written as YAML, the answer is read as YAML. It takes its steps from `left`.
///
/// # Errors
/// See [`QueryError`].
pub(crate) fn query(
    value: &Value,
    expression: &str,
    yaml: &dyn Fn(&str) -> Result<Value, String>,
    left: &mut u64,
) -> Result<Value, QueryError> {
    // Once the steps are used up, not even the document is written.
    if *left == 0 {
        return Err(QueryError::TooMuch);
    }
    let embedded = embed(value).map_err(QueryError::Bad)?;
    let printed = print(&embedded, expression, left).inspect_err(|error| {
        if *error == QueryError::TooMuch {
            *left = 0;
        }
    })?;
    let text = printed.trim();
    if text.is_empty() {
        return Ok(Value::new(Data::Null));
    }
    if is_bare_text(text) {
        return Ok(Value::str(text));
    }
    match yaml(&printed) {
        Ok(read) if is_mistaken_map(&read, text) => Ok(Value::str(text)),
        Ok(read) => Ok(read),
        // Output that is not valid YAML is returned as text, if it is a single line.
        Err(_) if !text.contains('\n') => Ok(Value::str(text)),
        Err(error) => Err(QueryError::Bad(format!("failed to unmarshal result: {error}"))),
    }
}

/// Whether a line would be read as a YAML comment or a key without a value.
fn is_bare_text(text: &str) -> bool {
    if text.contains('\n') {
        return false;
    }
    text.starts_with('#') || !text.starts_with(['{', '[']) && text.ends_with(':') && !text.contains(": ")
}

fn is_mistaken_map(read: &Value, text: &str) -> bool {
    let Some(map) = read.as_map().filter(|m| m.len() == 1) else { return false };
    map.iter().all(|e| e.value.is_null() && (format!("{}:", e.key) == text || format!("{}::", e.key) == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_read_as_yaml() {
        let echo = |text: &str| Ok(Value::str(format!("<{text}>")));
        let broken = |_: &str| Err("broken".to_owned());
        let ask = |text: &str, yaml: &dyn Fn(&str) -> Result<Value, String>| {
            query(&Value::str(text), ".", yaml, &mut 100).map(|v| v.as_str().map(str::to_owned))
        };
        assert_eq!(ask("a", &echo), Ok(Some("<a\n>".to_owned())));
        assert_eq!(ask("#c", &echo), Ok(Some("#c".to_owned())));
        assert_eq!(ask("arn::", &echo), Ok(Some("arn::".to_owned())));
        assert_eq!(ask("", &echo), Ok(None));
        assert_eq!(ask("!!int", &broken), Ok(Some("!!int".to_owned())));
        assert!(ask("a\nb", &broken).is_err());
    }

    #[test]
    fn after_a_query_that_takes_too_much_nothing_is_asked() {
        let mut left = 10;
        let long = Value::list(vec![Value::str("a"); 20]);
        let short = Value::str("\ta\nb");
        let mut ask = |value| query(value, ".", &|text| Ok(Value::str(text)), &mut left);
        assert!(matches!(ask(&short), Err(QueryError::Bad(_))), "it cannot be written");
        assert_eq!(ask(&long), Err(QueryError::TooMuch));
        assert_eq!([ask(&short), ask(&long)], [Err(QueryError::TooMuch), Err(QueryError::TooMuch)]);
    }
}
