//! `geoparse --lines`: one question a line in, one answer a line out.

use std::io::{self, BufRead, BufReader, Read, Write};

use anyhow::Context;
use geo::{Gazetteer, Hints, parse};
use search::Mentioned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Asked;
use crate::output::json_text;

/// Longest line that is read, in bytes.
const LONGEST: u64 = 16 << 20;

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    text: String,
    language: Option<String>,
    country: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    id: Value,
    mentions: Vec<Mentioned>,
    relevant: bool,
}

/// Answers every line. One that cannot be read is said so in its place, and makes the command fail in
/// the end.
pub fn answer(input: impl Read, asked: &Asked) -> anyhow::Result<()> {
    let mut input = BufReader::new(input);
    let mut out = io::stdout().lock();
    let (mut line, mut number, mut wrong) = (Vec::new(), 0u64, 0u64);
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line).context("cannot read the lines")?;
        if read == 0 {
            break;
        }
        number += 1;
        let answered = if read as u64 == LONGEST && line.last() != Some(&b'\n') {
            skip_line(&mut input)?;
            Err(format!("the line is longer than {} MiB", LONGEST >> 20))
        } else if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        } else {
            one(&String::from_utf8_lossy(&line), asked)
        };
        let text = match answered {
            Ok(text) => text,
            Err(error) => {
                wrong += 1;
                json_text(&json!({ "error": error, "line": number }))?
            }
        };
        // Whoever waits for an answer gets it before the next question.
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    anyhow::ensure!(wrong == 0, "{wrong} of {number} lines could not be read");
    Ok(())
}

fn one(line: &str, asked: &Asked) -> Result<String, String> {
    let question: Question = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let language = question.language.as_deref().and_then(page::language_code);
    let country = question.country.as_deref().and_then(|code| Gazetteer::embedded().country(code));
    let usual = asked.hints();
    let hints = Hints {
        language: language.as_deref().or(usual.language),
        country: country.map(|country| country.code()).or(usual.country),
        ..usual
    };
    let mentions = parse(&question.text, &hints);
    let relevant = asked.is_relevant(&mentions);
    let mentions = Mentioned::all(&question.text, &mentions);
    let answer = Answer { id: question.id, mentions, relevant };
    json_text(&answer).map_err(|error| error.to_string())
}

fn skip_line(input: &mut impl BufRead) -> anyhow::Result<()> {
    input.skip_until(b'\n').context("cannot read the lines")?;
    Ok(())
}
