//! What is printed, and how: results on stdout, everything else on stderr, and nothing from the
//! web may steer the terminal.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use tracing_subscriber::EnvFilter;

/// Logs go to stderr; `RUST_LOG` wins over `-v`.
pub fn start_logging(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| PlainWriter(io::stderr()))
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .init();
}

/// A writer that neutralises what could steer a terminal, for log lines made from web content.
struct PlainWriter(io::Stderr);

impl Write for PlainWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<_> = text.split('\n').map(plain).collect();
        self.0.write_all(lines.join("\n").as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Characters that move the cursor, change colours, or reverse the direction of what follows.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text from anywhere, safe to print on one line of a terminal.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(steers) { Cow::Owned(text.replace(steers, "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// JSON on one line; characters that steer terminals are escaped.
pub fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.contains(steers) {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // Control characters below U+0020 were escaped by the serialiser; these are the others.
        if steers(c) { out.push_str(&format!("\\u{:04x}", c as u32)) } else { out.push(c) }
    }
    Ok(out)
}

/// Prints one JSON document on a line of its own.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = json_text(value)?;
    out.push('\n');
    io::stdout().write_all(out.as_bytes())?;
    Ok(())
}

/// Prints a line of text.
pub fn print_line(line: impl AsRef<str>) -> anyhow::Result<()> {
    let mut out = io::stdout();
    out.write_all(plain(line.as_ref()).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}

/// `1 page`, `2 pages`, `2 addresses`.
pub fn counted(count: u64, noun: &str) -> String {
    match noun {
        _ if count == 1 => format!("{count} {noun}"),
        _ if noun.ends_with('s') => format!("{count} {noun}es"),
        _ if noun.ends_with("copy") => format!("{count} {}ies", noun.trim_end_matches('y')),
        "file on disk" => format!("{count} files on disk"),
        _ => format!("{count} {noun}s"),
    }
}

/// Prints counts by reason, most first, on one line; nothing when there are none.
pub fn print_counts(title: &str, counts: &std::collections::BTreeMap<String, u64>) -> anyhow::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let listed = sorted.iter().map(|(reason, count)| format!("{reason} {count}")).collect::<Vec<_>>();
    print_line(format!("{title} {}", listed.join(", ")))
}

/// Prints rows under headings, numbers to the right.
pub fn print_table(headings: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let numeric = |column: usize| {
        !rows.is_empty() && rows.iter().all(|row| row[column].starts_with(|c: char| c.is_ascii_digit() || c == '–'))
    };
    let right: Vec<bool> = (0..headings.len()).map(numeric).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().enumerate().map(|(i, cell)| {
            let gap = " ".repeat(widths[i].saturating_sub(cell.chars().count()));
            if right[i] { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    print_line(line(headings.to_vec()))?;
    for row in rows {
        print_line(line(row.iter().map(String::as_str).collect()))?;
    }
    Ok(())
}

/// Lengths of a histogram that have a row of their own.
const ROWS: usize = 10;
/// Characters of its longest bar.
const BAR: u64 = 30;

/// Prints how many have each length, as bars; nothing when there are none.
pub fn print_histogram(title: &str, counts: &[u64]) -> anyhow::Result<()> {
    let rows = histogram(counts);
    if rows.is_empty() {
        return Ok(());
    }
    print_line(format!("  {title}"))?;
    rows.iter().try_for_each(|row| print_line(format!("    {row}")))
}

/// One row a length; what is longer than most shares the last.
fn histogram(counts: &[u64]) -> Vec<String> {
    let (short, long) = counts.split_at(counts.len().min(ROWS));
    let mut rows: Vec<(String, u64)> = short.iter().enumerate().map(|(n, count)| (n.to_string(), *count)).collect();
    if !long.is_empty() {
        rows.push((format!("{ROWS}+"), long.iter().sum()));
    }
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or_default();
    if most == 0 {
        return Vec::new();
    }
    // What is there at all has a bar.
    let bar = |count: u64| "█".repeat(count.saturating_mul(BAR).div_ceil(most) as usize);
    rows.iter().map(|(length, count)| format!("{length:>3} {:<30} {count}", bar(*count))).collect()
}

/// Says what went wrong, cause by cause, on stderr.
pub fn complain(error: &anyhow::Error) {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Causes often repeat what their parent said.
        if !said.contains(&cause) {
            if !said.is_empty() {
                said.push_str(": ");
            }
            said.push_str(&cause);
        }
    }
    for line in said.lines() {
        eprintln!("bowerbird: {}", plain(line));
    }
}

/// The reader of our output went away, as `head` does: not an error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use super::{histogram, plain};

    #[test]
    fn histograms_have_bars_that_fit_and_share_their_last_row() {
        let rows = histogram(&[60, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 3]);
        assert_eq!(rows.len(), 11);
        assert_eq!(rows[0], format!("  0 {} 60", "█".repeat(30)));
        assert!(rows[1].ends_with(" 0") && !rows[1].contains('█') && rows[2].contains("█ "), "{rows:?}");
        assert!(rows[10].starts_with("10+ ███ ") && rows[10].ends_with(" 5"), "{rows:?}");
        assert!(histogram(&[]).is_empty() && histogram(&[0, 0]).is_empty());
        assert_eq!(histogram(&[u64::MAX / 64]).len(), 1);
    }

    #[test]
    fn nothing_from_the_web_steers_the_terminal() {
        for text in ["\u{1b}[2J", "a\u{9b}31m", "bell\u{7}", "line\nbreak", "\u{202e}gnp.exe", "tab\there", "\u{7f}"] {
            let shown = plain(text);
            assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
        }
        assert_eq!(plain("Käsityöläiskatu 5 – 東京"), "Käsityöläiskatu 5 – 東京");
    }
}
