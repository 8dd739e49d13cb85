//! Where an address stands: in a sentence, over lines, in a footer, in a table.

use facts::Url;
use page::Limits;

use super::known::Known;

/// A way to set an address into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Sentence,
    Lines,
    Footer,
    Table,
}

impl Setting {
    /// The ways that make sense of an address: one that came as one string stays one.
    pub(super) fn of(known: &Known) -> &'static [Self] {
        match known.source {
            "own" => &[Self::Sentence, Self::Lines, Self::Footer, Self::Table],
            "opencage" => &[Self::Sentence, Self::Lines],
            _ => &[Self::Sentence, Self::Footer],
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Sentence => "in a sentence",
            Self::Lines => "over lines",
            Self::Footer => "in a footer",
            Self::Table => "in a table",
        }
    }

    /// The text with the address in it.
    pub(super) fn text(self, known: &Known) -> String {
        let one_line = known.lines.join(", ");
        match self {
            Self::Sentence => {
                let (before, after) = sentence(&known.country);
                format!("{before} {one_line}{after}")
            }
            Self::Lines => format!("Photo Archive\n\n{}\n\ninfo@example.org\n", known.lines.join("\n")),
            Self::Footer => format!("© 2024 Photo Archive · {} · info@example.org", known.lines.join(" · ")),
            Self::Table => {
                let cells: String = known.lines.iter().map(|line| format!("<td>{}</td>", escape(line))).collect();
                let html = format!("<table><tr><th>Name<th>Address<tr><td>Photo Archive</td>{cells}</tr></table>");
                match Url::parse("https://example.org/") {
                    Ok(url) => {
                        page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &Limits::default()).text
                    }
                    Err(_) => html,
                }
            }
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// What people write before and after an address.
fn sentence(country: &str) -> (&'static str, &'static str) {
    match country {
        "DE" | "AT" => ("Unser Laden ist umgezogen: Sie finden uns jetzt in der", ". Wir freuen uns auf Sie."),
        "CH" => ("Die Ausstellung ist bis Mai zu sehen, Adresse:", ". Der Eintritt ist frei."),
        "FI" => ("Näyttely on avoinna toukokuuhun asti osoitteessa", ". Tervetuloa!"),
        "SE" => ("Utställningen visas till maj på", ". Välkommen!"),
        "NO" => ("Utstillingen vises til mai i", ". Velkommen!"),
        "DK" => ("Udstillingen kan ses til maj på", ". Velkommen!"),
        "NL" => ("De tentoonstelling is tot mei te zien in de", ". Tot ziens!"),
        "BE" => ("L'exposition se trouve à l'adresse suivante :", ". Entrée libre."),
        "FR" => ("L'exposition est à voir jusqu'en mai au", ". Entrée libre."),
        "ES" => ("La exposición se puede ver hasta mayo en", ". Entrada libre."),
        "PT" => ("A exposição pode ser vista até maio na", ". Entrada livre."),
        "IT" => ("La mostra si può vedere fino a maggio in", ". Ingresso libero."),
        "PL" => ("Wystawę można oglądać do maja przy", ". Wstęp wolny."),
        "CZ" => ("Výstavu můžete vidět do května na adrese", ". Vstup volný."),
        _ => ("The exhibition can be seen until May at", ". Admission is free."),
    }
}
