//! `bowerbird geoparse`: text in, places out.
//!
//! `source` reads text of any size and any bytes in pieces, `shape` the table for people,
//! `lines` answers a stream of questions. What is found is written as it is found.

mod lines;
mod shape;
mod source;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use anyhow::Context;
use geo::{Gazetteer, Granularity, Hints, Mention, Parser, Region, code_points, is_relevant, structured};
use page::{Limits, Page};
use search::Mentioned;

use self::source::Source;
use super::{Place, WrongUse};
use crate::arguments::Geoparse;
use crate::output::{counted, json_text, print_line, print_table};
use crate::region;

/// Rows of a table that are laid out together.
const ROWS: usize = 500;

/// What a text is looked at with.
struct Asked {
    language: Option<String>,
    country: Option<&'static str>,
    region: Option<Region>,
    granularity: Granularity,
}

impl Asked {
    fn hints(&self) -> Hints<'_> {
        Hints {
            language: self.language.as_deref(),
            country: self.country,
            region: self.region.as_ref(),
            ..Hints::default()
        }
    }

    fn is_relevant(&self, mentions: &[Mention]) -> bool {
        is_relevant(mentions, self.region.as_ref(), self.granularity)
    }
}

/// Finds the places a text mentions.
pub fn geoparse(place: Place, order: Geoparse) -> anyhow::Result<()> {
    let asked = Asked {
        language: order.lang.as_deref().map(language).transpose()?,
        country: order.country.as_deref().map(country).transpose()?,
        region: order.region.as_deref().map(region::read).transpose()?.map(|asked| asked.region),
        granularity: order.granularity.into(),
    };
    let input: Box<dyn Read> = match order.file.as_deref() {
        None | Some("-") => Box::new(io::stdin().lock()),
        Some(file) => Box::new(File::open(file).with_context(|| format!("cannot read {file}"))?),
    };
    if order.lines {
        return lines::answer(input, &asked);
    }
    let mut out: Box<dyn Out> = if place.json { Box::new(Json::begin()?) } else { Box::new(Table::default()) };
    let relevant = if order.html {
        let page = read_page(input)?;
        if order.with_text {
            out.visible(&page.text)?;
        }
        parse_page(&page, &asked, out.as_mut())?
    } else {
        parse_stream(Source::new(input), &asked, out.as_mut())?
    };
    out.end(relevant, asked.region.as_ref())
}

fn language(code: &str) -> anyhow::Result<String> {
    page::language_code(code).ok_or_else(|| WrongUse(format!("{code:?} is no language: write it like de or en")).into())
}

fn country(code: &str) -> anyhow::Result<&'static str> {
    let known = Gazetteer::embedded().country(code).map(|country| country.code());
    known.ok_or_else(|| WrongUse(format!("{code:?} is no country: write it like DE or FI")).into())
}

/// Parses a text as it comes in.
fn parse_stream(mut source: Source, asked: &Asked, out: &mut dyn Out) -> anyhow::Result<bool> {
    let mut parser = Parser::new(asked.hints());
    let (mut relevant, mut before) = (false, 0);
    loop {
        let last = !source.read()?;
        let (read, mentions) = parser.take(source.waiting(), last);
        relevant |= asked.is_relevant(&mentions);
        let text = source.waiting().get(..read).unwrap_or_default();
        for (mention, span) in mentions.iter().zip(code_points(text, &mentions)) {
            let words = text.get(mention.span.clone()).unwrap_or_default();
            out.mention(&Mentioned::new(mention, before + span.start..before + span.end, words))?;
        }
        before += text.chars().count();
        source.done(read);
        if last {
            return Ok(relevant);
        }
    }
}

/// Reads a page; what is over the limit of a crawl is left out, as there.
fn read_page(input: impl Read) -> anyhow::Result<Page> {
    let limits = Limits::default();
    let mut body = Vec::new();
    input.take(limits.bytes as u64 + 1).read_to_end(&mut body).context("cannot read the page")?;
    let url = facts::Url::parse("http://localhost/").context("the address of a page without one")?;
    let page = page::read(&body, Some("text/html"), &url, &limits);
    if page.malformed_structured > 0 {
        let blocks = counted(page.malformed_structured as u64, "block");
        tracing::warn!("{blocks} of structured data cannot be read and were left out");
    }
    if page.truncated {
        tracing::warn!("the page is larger than what is read of one: its end is left out");
    }
    Ok(page)
}

fn parse_page(page: &Page, asked: &Asked, out: &mut dyn Out) -> anyhow::Result<bool> {
    let mut parser = Parser::new(asked.hints()).declared(page.language.as_deref());
    let (_, mentions) = parser.take(&page.text, true);
    for (mention, span) in mentions.iter().zip(code_points(&page.text, &mentions)) {
        let words = page.text.get(mention.span.clone()).unwrap_or_default();
        out.mention(&Mentioned::new(mention, span, words))?;
    }
    let said: Vec<Mention> = structured(page, &asked.hints()).into_iter().map(|located| located.mention).collect();
    for mention in &said {
        out.mention(&Mentioned::structured(mention))?;
    }
    Ok(asked.is_relevant(&mentions) || asked.is_relevant(&said))
}

/// Where what is found goes.
trait Out {
    fn visible(&mut self, text: &str) -> anyhow::Result<()>;
    fn mention(&mut self, mention: &Mentioned) -> anyhow::Result<()>;
    fn end(&mut self, relevant: bool, region: Option<&Region>) -> anyhow::Result<()>;
}

/// One JSON document, written as it grows.
struct Json {
    out: BufWriter<io::StdoutLock<'static>>,
    mentions: u64,
}

impl Json {
    fn begin() -> anyhow::Result<Self> {
        let mut out = BufWriter::new(io::stdout().lock());
        out.write_all(b"{")?;
        Ok(Self { out, mentions: 0 })
    }

    fn separate(&mut self) -> io::Result<()> {
        self.mentions += 1;
        self.out.write_all(if self.mentions == 1 { b"\"mentions\":[" } else { b"," })
    }
}

impl Out for Json {
    fn visible(&mut self, text: &str) -> anyhow::Result<()> {
        write!(self.out, "\"visible\":{},", json_text(&text)?)?;
        Ok(())
    }

    fn mention(&mut self, mention: &Mentioned) -> anyhow::Result<()> {
        self.separate()?;
        self.out.write_all(json_text(mention)?.as_bytes())?;
        Ok(())
    }

    fn end(&mut self, relevant: bool, _: Option<&Region>) -> anyhow::Result<()> {
        if self.mentions == 0 {
            self.separate()?;
        }
        writeln!(self.out, "],\"relevant\":{relevant}}}")?;
        self.out.flush()?;
        Ok(())
    }
}

/// For people; long lists are laid out piece by piece.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    mentions: u64,
}

impl Table {
    fn print(&mut self) -> anyhow::Result<()> {
        print_table(&["text", "kind", "place", "coordinates", "confidence", "why"], &self.rows)?;
        self.rows.clear();
        Ok(())
    }
}

impl Out for Table {
    fn visible(&mut self, text: &str) -> anyhow::Result<()> {
        text.lines().try_for_each(print_line)?;
        print_line("")
    }

    fn mention(&mut self, mention: &Mentioned) -> anyhow::Result<()> {
        self.mentions += 1;
        self.rows.push(shape::row(mention));
        if self.rows.len() >= ROWS { self.print() } else { Ok(()) }
    }

    fn end(&mut self, relevant: bool, region: Option<&Region>) -> anyhow::Result<()> {
        if self.mentions == 0 {
            return print_line("no place is mentioned");
        }
        if !self.rows.is_empty() {
            self.print()?;
        }
        let to = region.map_or(String::new(), |region| format!(" to {}", region.name()));
        print_line("")?;
        print_line(if relevant { format!("relevant{to}") } else { format!("not relevant{to}") })
    }
}
