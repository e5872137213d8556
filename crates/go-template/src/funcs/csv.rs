//! CSV text as Go's `encoding/csv` reads and writes it.

use super::call::data;
use super::cast::conv_data_text;
use crate::{Val, format};
use traced_value::{Data, Key, Value};

type Rows = Vec<Vec<String>>;

/// Returns the records and the header, which is the first record unless it is passed. Arguments: text; delimiter (one
/// byte) or header, text; delimiter, header, text. An empty header is replaced by letters.
fn parse(args: &[&str]) -> Result<(Rows, Vec<String>), String> {
    let names = |text: &str, delimiter: &str| text.split(delimiter).map(str::to_owned).collect::<Vec<_>>();
    let (delimiter, header, input) = match args {
        [input] => (",", None, *input),
        [first, input] => match first.len() {
            0 => (",", Some(Vec::new()), *input),
            1 => (*first, None, *input),
            _ => (",", Some(names(first, ",")), *input),
        },
        [delimiter, header, input] => (*delimiter, Some(names(header, delimiter)), *input),
        _ => (",", None, ""),
    };
    let Some(delimiter) = delimiter.chars().next() else {
        return Err("runtime error: index out of range [0] with length 0".into());
    };
    let mut rows = read(input, delimiter)?;
    let header = match header {
        Some(header) if header.is_empty() && !rows.is_empty() => (0..rows[0].len()).map(letters).collect(),
        Some(header) => header,
        None if rows.is_empty() => Vec::new(),
        None => rows.remove(0),
    };
    Ok((rows, header))
}

fn letters(i: usize) -> String {
    let letter = char::from(b'A' + (i % 26) as u8);
    std::iter::repeat_n(letter, i / 26 + 1).collect()
}

fn read(text: &str, delimiter: char) -> Result<Rows, String> {
    let text = text.replace("\r\n", "\n");
    let mut rows: Rows = Vec::new();
    let mut chars = text.chars().peekable();
    let mut line = 1;
    while chars.peek().is_some() {
        if chars.next_if_eq(&'\n').is_some() {
            line += 1;
            continue;
        }
        let start = line;
        let mut row = Vec::new();
        loop {
            let mut field = String::new();
            if chars.next_if_eq(&'"').is_some() {
                loop {
                    match chars.next() {
                        Some('"') if chars.next_if_eq(&'"').is_some() => field.push('"'),
                        Some('"') => break,
                        Some(c) => {
                            line += usize::from(c == '\n');
                            field.push(c);
                        }
                        None => {
                            return Err(format!(
                                "record on line {start}; parse error on line {line}: extraneous or missing \" in quoted-field"
                            ));
                        }
                    }
                }
                if chars.peek().is_some_and(|c| *c != delimiter && *c != '\n') {
                    return Err(format!("parse error on line {line}: extraneous or missing \" in quoted-field"));
                }
            } else {
                while let Some(c) = chars.next_if(|c| *c != delimiter && *c != '\n') {
                    if c == '"' {
                        return Err(format!("parse error on line {line}: bare \" in non-quoted-field"));
                    }
                    field.push(c);
                }
            }
            row.push(field);
            match chars.next() {
                Some('\n') | None => break,
                Some(_) => {}
            }
        }
        line += 1;
        if rows.first().is_some_and(|first| first.len() != row.len()) {
            return Err(format!("record on line {start}: wrong number of fields"));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn list(fields: Vec<String>) -> Value {
    Value::list(fields.into_iter().map(Value::str).collect())
}

/// All rows, the header first.
pub(super) fn rows(args: &[&str]) -> Result<Vec<Value>, String> {
    let (rows, header) = parse(args)?;
    Ok([header].into_iter().chain(rows).map(list).collect())
}

const SHORT: &str = "runtime error: index out of range";

/// A map for every row.
pub(super) fn by_row(args: &[&str]) -> Result<Vec<Value>, String> {
    let (rows, header) = parse(args)?;
    let mut out = Vec::new();
    for row in rows {
        if row.len() > header.len() {
            return Err(format!("{SHORT} [{0}] with length {0}", header.len()));
        }
        let pairs = header.iter().zip(row).map(|(k, v)| (Key::from(k.as_str()), Value::str(v)));
        out.push(Value::map(pairs.collect()));
    }
    Ok(out)
}

/// A list for every column.
pub(super) fn by_column(args: &[&str]) -> Result<Vec<(Key, Value)>, String> {
    let (rows, header) = parse(args)?;
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        for (i, field) in row.into_iter().enumerate() {
            let name = header.get(i).ok_or_else(|| format!("{SHORT} [{i}] with length {i}"))?;
            match columns.iter_mut().find(|c| c.0 == *name) {
                Some(column) => column.1.push(field),
                None => columns.push((name.clone(), vec![field])),
            }
        }
    }
    Ok(columns.into_iter().map(|(name, fields)| (name.into(), list(fields))).collect())
}

/// gomplate's `data.ToCSV`.
pub(super) fn write(args: &[Val]) -> Result<String, String> {
    let (delimiter, args) = match args {
        [first, rest @ ..] if rest.len() == 1 => match data(first) {
            Data::Str(text) => (text.chars().next(), rest),
            _ => {
                let (shown, got) = (format::print_value(first), format::type_name(first));
                return Err(format!("Can't parse ToCSV delimiter ({shown}) - must be string (is a {got})"));
            }
        },
        _ => (Some(','), args),
    };
    let delimiter = delimiter.ok_or_else(|| format!("{SHORT} [0] with length 0"))?;
    let [table] = args else { return Ok(String::new()) };
    let bad = || {
        let got = format::type_name(table);
        format!(
            "Can't parse ToCSV input - must be a two-dimensional array (like [][]string or [][]interface{{}}) (was {got})"
        )
    };
    let Data::List(rows) = data(table) else { return Err(bad()) };
    let mut out = String::new();
    for row in rows.iter() {
        let fields = row.as_list().ok_or_else(bad)?;
        let texts: Vec<String> = fields.iter().map(|v| quoted(&conv_data_text(&v.data), delimiter)).collect();
        out.push_str(&texts.join(&delimiter.to_string()));
        out.push_str("\r\n");
    }
    Ok(out)
}

fn quoted(field: &str, delimiter: char) -> String {
    let needs = field == "\\."
        || field.starts_with(|c: char| c.is_whitespace())
        || field.contains([delimiter, '"', '\r', '\n']);
    if !needs {
        return field.to_owned();
    }
    format!("\"{}\"", field.replace('"', "\"\"").replace('\n', "\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads() {
        let (rows, header) = parse(&["a,b\n1,\"x,\"\"y\"\n\n3,4"]).unwrap();
        assert_eq!(header, ["a", "b"]);
        assert_eq!(rows, [["1", "x,\"y"], ["3", "4"]]);
        assert!(parse(&["a,b\n1"]).unwrap_err().contains("wrong number of fields"));
        assert_eq!(parse(&["", "1,2"]).unwrap().1, ["A", "B"]);
    }
}
