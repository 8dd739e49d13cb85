//! As much of Python's pickle format as lists of strings and numbers need.

use anyhow::{Result, bail};

/// A value of a pickle.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// A list.
    List(Vec<Value>),
    /// Marks where the items of a list begin.
    Mark,
}

impl Value {
    /// The text, or nothing.
    pub fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }

    /// The number, or not a number.
    pub fn number(&self) -> f64 {
        if let Self::Number(number) = self { *number } else { f64::NAN }
    }
}

/// Reads a pickle of protocol 4 whose outermost value is a list of rows.
pub fn rows(bytes: &[u8]) -> Result<Vec<Vec<Value>>> {
    let mut at = 0;
    let mut stack: Vec<Value> = Vec::new();
    // Lists are never recalled in these files, so only their place in the memo is kept.
    let mut memo: Vec<Value> = Vec::new();
    let mut take = |count: usize| -> Result<&[u8]> {
        let Some(slice) = bytes.get(at..at + count) else { bail!("the pickle ends early") };
        at += count;
        Ok(slice)
    };
    let little = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    loop {
        match take(1)?[0] {
            0x80 => drop(take(1)?),
            0x95 => drop(take(8)?),
            b']' => stack.push(Value::List(Vec::new())),
            b'(' => stack.push(Value::Mark),
            0x94 => memo.push(match stack.last() {
                Some(Value::Text(text)) => Value::Text(text.clone()),
                _ => Value::Mark,
            }),
            code @ (0x8C | b'X') => {
                let length = little(take(if code == b'X' { 4 } else { 1 })?) as usize;
                // Flags of countries are written as lone surrogates; they are no names for us.
                stack.push(Value::Text(String::from_utf8_lossy(take(length)?).into_owned()));
            }
            code @ (b'h' | b'j') => {
                let index = little(take(if code == b'j' { 4 } else { 1 })?) as usize;
                let Some(value) = memo.get(index) else { bail!("the pickle recalls what it never kept") };
                stack.push(value.clone());
            }
            b'G' => {
                let bits = take(8)?.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
                stack.push(Value::Number(f64::from_bits(bits)));
            }
            b'J' => stack.push(Value::Number(f64::from(little(take(4)?) as u32 as i32))),
            b'K' => stack.push(Value::Number(little(take(1)?) as f64)),
            b'M' => stack.push(Value::Number(little(take(2)?) as f64)),
            0x8A => {
                let length = usize::from(take(1)?[0]);
                stack.push(Value::Number(little(take(length)?) as f64));
            }
            code @ (b'e' | b'a') => {
                let from = match code {
                    b'a' => stack.len().saturating_sub(1),
                    _ => match stack.iter().rposition(|value| matches!(value, Value::Mark)) {
                        Some(mark) => mark,
                        None => bail!("the pickle appends nothing"),
                    },
                };
                let mut items = stack.split_off(from);
                if code == b'e' {
                    items.remove(0);
                }
                let Some(Value::List(list)) = stack.last_mut() else { bail!("the pickle appends to no list") };
                list.extend(items);
            }
            b'.' => break,
            code => bail!("the pickle has an instruction that is not known here: {code:#x}"),
        }
    }
    let Some(Value::List(list)) = stack.pop() else { bail!("the pickle holds no list") };
    Ok(list.into_iter().filter_map(|row| if let Value::List(row) = row { Some(row) } else { None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_text_and_numbers_are_read() {
        // [["Kiel", 1.5, 7], ["Kiel", 300]]
        let bytes = b"\x80\x04]\x94(]\x94(\x8c\x04Kiel\x94G\x3f\xf8\0\0\0\0\0\0K\x07e]\x94(h\x02M\x2c\x01ee.";
        let rows = rows(bytes).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0][0].text(), rows[0][1].number(), rows[0][2].number()), ("Kiel", 1.5, 7.0));
        assert_eq!((rows[1][0].text(), rows[1][1].number()), ("Kiel", 300.0));
    }

    #[test]
    fn what_is_no_such_pickle_is_refused() {
        for bytes in [&b""[..], b"]", b"c__builtin__\neval\n.", b"h\x05.", b"K\x01."] {
            assert!(rows(bytes).is_err(), "{bytes:?}");
        }
    }
}
