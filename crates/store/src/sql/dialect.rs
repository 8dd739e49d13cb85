//! Statements as SQLite has them, in the words of PostgreSQL.

/// Whose words a statement is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// One or the other.
    pub fn choose<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }

    // Who only reads holds nothing that others wait for, and may take its time.
    pub(super) fn begin_moment(self) -> &'static str {
        self.choose(
            "BEGIN DEFERRED",
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0",
        )
    }

    // A writer from the start: one that begins as a reader and is not the first is refused at once.
    pub(super) fn begin_change(self) -> &'static str {
        self.choose("BEGIN IMMEDIATE", "BEGIN")
    }
}

/// Puts a statement into PostgreSQL's words: places for values are `$1`, no index is named, and a join
/// with a condition is no cross join.
pub(super) fn translate(sql: &str) -> String {
    let mut written = String::with_capacity(sql.len() + 16);
    let mut places = 0;
    let mut rest = sql;
    while let Some(at) = rest.find(['?', '\'', 'I', 'N', 'C']) {
        let (before, from) = rest.split_at(at);
        written.push_str(before);
        let begins_word = !written.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = match from.as_bytes().first() {
            Some(b'?') => {
                let digits = from[1..].bytes().take_while(u8::is_ascii_digit).count();
                written.push('$');
                match digits {
                    0 => {
                        places += 1;
                        written.push_str(&places.to_string());
                    }
                    _ => written.push_str(&from[1..=digits]),
                }
                &from[1 + digits..]
            }
            Some(b'\'') => {
                let end = from[1..].find('\'').map_or(from.len(), |end| end + 2);
                written.push_str(&from[..end]);
                &from[end..]
            }
            _ if begins_word && from.starts_with("INDEXED BY ") => {
                let name = &from["INDEXED BY ".len()..];
                name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
            }
            _ if begins_word && from.starts_with("NOT INDEXED") => &from["NOT INDEXED".len()..],
            _ if begins_word && from.starts_with("CROSS JOIN ") && has_condition(&from["CROSS JOIN ".len()..]) => {
                &from["CROSS ".len()..]
            }
            _ => {
                let end = from.char_indices().nth(1).map_or(from.len(), |(end, _)| end);
                written.push_str(&from[..end]);
                &from[end..]
            }
        };
    }
    written.push_str(rest);
    written
}

/// Whether a table that is joined has a condition.
fn has_condition(joined: &str) -> bool {
    let mut words = joined.split_whitespace();
    let (_, next) = (words.next(), words.next());
    match next {
        Some("AS") => words.nth(1) == Some("ON"),
        next => next == Some("ON"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_put_into_the_words_of_postgresql() {
        for (sqlite, postgres) in [
            ("SELECT 1 FROM a WHERE b = ?1 AND c = ?12", "SELECT 1 FROM a WHERE b = $1 AND c = $12"),
            ("VALUES (?, ?, '?''INDEXED BY x?', ?)", "VALUES ($1, $2, '?''INDEXED BY x?', $3)"),
            ("SELECT id FROM page INDEXED BY page_of_host WHERE x", "SELECT id FROM page  WHERE x"),
            ("SELECT id FROM page NOT INDEXED", "SELECT id FROM page "),
            ("a CROSS JOIN b ON b.x = a.x CROSS JOIN c AS d ON d.y", "a JOIN b ON b.x = a.x JOIN c AS d ON d.y"),
            ("a CROSS JOIN b CROSS JOIN c WHERE b.x", "a CROSS JOIN b CROSS JOIN c WHERE b.x"),
            ("žluť ?", "žluť $1"),
        ] {
            assert_eq!(translate(sqlite), postgres);
        }
    }
}
