//! `bowerbird search`.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use facts::MediaKind;
use query::Synonyms;
use search::{Answer, Hit, Location, Looked, MediaHit, Near, PageHit, Question};
use store::StoreError;

use super::{Place, WrongUse};
use crate::arguments::{Filter, Kind, Search};
use crate::output::{print_json, print_line};
use crate::region;

/// Characters of a line of words.
const LINE: usize = 100;
/// Names of places that are listed with a page.
const NAMES: usize = 5;

/// Prints what is in the library.
pub async fn search(place: Place, order: Search) -> anyhow::Result<()> {
    let mut question = question(order.filter)?;
    let listed = order.synonyms.as_deref().map(read_synonyms).transpose()?;
    let answer = match place.read() {
        // Nothing was written there yet: nothing is found there.
        Err(StoreError::Missing { .. }) if place.data.is_dir() => {
            understand(&mut question, &order.words, &listed.unwrap_or_default())?;
            Answer { said: question.understood.said, notes: question.understood.notes, ..Answer::default() }
        }
        reader => {
            let reader = reader?;
            let listed = match listed {
                Some(listed) => listed,
                None => search::synonyms(&**reader.library()).await?,
            };
            understand(&mut question, &order.words, &listed)?;
            let media = reader.shelf().base();
            question.ask(&**reader.library(), &media, order.top).await?
        }
    };
    if place.json { print_json(&answer) } else { print(&answer) }
}

/// Adds the words of the command line to a question.
pub(super) fn understand(question: &mut Question, words: &[String], synonyms: &Synonyms) -> anyhow::Result<()> {
    let wrong = |wrong: Vec<String>| WrongUse(wrong.join("; "));
    Ok(question.understand(&words.join(" "), synonyms).map_err(wrong)?)
}

fn read_synonyms(file: &Path) -> anyhow::Result<Synonyms> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read --synonyms {}", file.display()))?;
    Synonyms::read(&text).map_err(|error| WrongUse(format!("{}: {error}", file.display())).into())
}

/// What the filters of the command line ask for.
pub(super) fn question(filter: Filter) -> anyhow::Result<Question> {
    let pages = filter.kind.contains(&Kind::Page);
    let kinds: Vec<MediaKind> = filter
        .kind
        .iter()
        .filter_map(|kind| match kind {
            Kind::Media(kind) => Some(*kind),
            Kind::Page => None,
        })
        .collect();
    let looked = match (pages, kinds.is_empty()) {
        (true, false) => {
            return Err(WrongUse("--kind page stands alone: ask for media in a search of its own".into()).into());
        }
        (true, true) => Looked::Pages { all: filter.all },
        (false, _) if filter.all => return Err(WrongUse("--all is for --kind page".into()).into()),
        (false, _) => Looked::Media(kinds),
    };
    let place = filter.place.as_deref().map(|place| region::read_option("--place", place)).transpose()?;
    Ok(Question {
        looked,
        near: filter.near.zip(filter.within).map(|(centre, metres)| Near { centre, metres }),
        place: place.map(|asked| asked.region),
        since: filter.since,
        // A day lasts until its end.
        until: filter.until.map(|day| day + Duration::from_millis(86_399_999)),
        open_licence: filter.open_licence,
        crawl: filter.crawl,
        located: filter.located.then_some(true),
        host: filter.host.map(|host| host.to_ascii_lowercase()),
        copies: filter.copies,
        ..Question::default()
    })
}

pub(super) fn print(answer: &Answer) -> anyhow::Result<()> {
    if !answer.said.is_empty() {
        print_line(format!("understood as: {}", answer.said.replace('*', "\u{27}")))?;
    }
    for note in &answer.notes {
        print_line(format!("note: {note}"))?;
    }
    for instead in &answer.instead {
        print_line(format!("nothing has '{}': looked for {}", instead.typed, instead.words.join(", ")))?;
    }
    if let Some(better) = &answer.did_you_mean {
        print_line(format!("did you mean: {better}"))?;
    }
    if answer.unworded > 0 {
        print_line(format!("up to {} more are not found by words yet: they are being prepared", answer.unworded))?;
    }
    if answer.total == 0 {
        return print_line("nothing found");
    }
    let least = if answer.total_is_at_least { "more than " } else { "" };
    let shown = match answer.results.len() as u64 == answer.total {
        true => String::new(),
        false => format!(", the first {} are", answer.results.len()),
    };
    print_line(format!("{least}{} found{shown}:", answer.total))?;
    for hit in &answer.results {
        print_line("")?;
        match hit {
            Hit::Media(hit) => print_media(hit)?,
            Hit::Page(hit) => print_page(hit)?,
        }
    }
    Ok(())
}

fn print_media(hit: &MediaHit) -> anyhow::Result<()> {
    let name = hit.file.rsplit('/').next().unwrap_or_default();
    let said = hit.title.as_deref().into_iter().chain([hit.description.as_str(), name]);
    let said = said.map(str::trim).find(|text| !text.is_empty()).unwrap_or_default();
    let copies = match hit.copies {
        0 => String::new(),
        1 => " (1 copy)".to_owned(),
        copies => format!(" ({copies} copies)"),
    };
    print_line(format!("{:<6} {}{copies}", hit.kind, cut(said)))?;
    if let (Some(score), Some(why)) = (hit.score, &hit.matched.why) {
        print_line(format!("       fits {:.0} %: {why}", 100.0 * score))?;
    }
    if let Some(similarity) = hit.similarity {
        let why = hit.why.as_deref().map_or(String::new(), |why| format!("; {why}"));
        print_line(format!("       {similarity:.0} % similar{why}"))?;
    }
    match &hit.location {
        Some(location) => print_line(format!("       {}{}", described(location), away(hit.distance_m)))?,
        None => print_line("       place not known")?,
    }
    print_line(format!("       {}", hit.page.as_deref().unwrap_or(&hit.file)))
}

fn print_page(hit: &PageHit) -> anyhow::Result<()> {
    let title = Some(hit.title.trim()).filter(|title| !title.is_empty()).unwrap_or("(without a title)");
    print_line(format!("{:<6} {}", hit.kind, cut(title)))?;
    if let (Some(score), Some(why)) = (hit.score, &hit.matched.why) {
        print_line(format!("       fits {:.0} %: {why}", 100.0 * score))?;
    }
    let about = hit.location.as_ref().map(|location| format!("about {}", described(location)));
    let names = hit.names();
    let mut listed = names.iter().take(NAMES).map(|name| (*name).to_owned()).collect::<Vec<_>>();
    if names.len() > NAMES {
        listed.push(format!("{} more", names.len() - NAMES));
    }
    let speaks = match listed.is_empty() {
        true => format!("speaks of {}", crate::output::counted(hit.places.len() as u64, "place")),
        false => format!("speaks of {}", listed.join("; ")),
    };
    for line in about.into_iter().chain([format!("{speaks}{}", away(hit.distance_m))]) {
        print_line(format!("       {line}"))?;
    }
    print_line(format!("       {}", hit.page))
}

/// Where it is, how that is known, and how surely.
fn described(location: &Location) -> String {
    let point = format!("{:.5}, {:.5}", location.lat, location.lon);
    let address = location.address.as_ref().map(ToString::to_string).filter(|address| !address.is_empty());
    let named = match address.or_else(|| location.place.clone()) {
        Some(name) => format!("{} ({point})", cut(&name)),
        None => point,
    };
    let sure = match location.verified {
        true => "confirmed".to_owned(),
        false => format!("{:.0} % sure", 100.0 * location.confidence),
    };
    let exact = location.precision_m.map_or(String::new(), |metres| format!(", ± {}", far(metres)));
    format!("{named}: {}, {sure}{exact}", location.source)
}

fn away(metres: Option<f64>) -> String {
    metres.map_or(String::new(), |metres| format!("; {} away", far(metres)))
}

fn far(metres: f64) -> String {
    match metres {
        metres if metres < 1_000.0 => format!("{metres:.0} m"),
        metres if metres < 100_000.0 => format!("{:.1} km", metres / 1_000.0),
        metres => format!("{:.0} km", metres / 1_000.0),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
