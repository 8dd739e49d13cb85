//! `weighted`: by what the user looks for [003 eq. 1–4].
//!
//! `w(l) = h* + w(p) + Sim(criteria, description(l))`: links of pages that speak of what is looked for, and
//! links described by its words, go first. Texts are vectors of [terms]; how common a term is among the
//! [descriptions] of links can be taken into account. An address that waits is raised when a better link
//! to it is found, or, as [`VertexWeight`] says, by every link to it. A [`Prior`] prefers where photographs
//! were found.

mod descriptions;
mod terms;

use std::sync::{Mutex, MutexGuard, PoisonError};

use facts::{Order, Priority, Url};
use page::{Link, Page};
use query::Language;
use serde::{Deserialize, Serialize};

use self::descriptions::Descriptions;
use self::terms::{Counts, Speech, cosine};
use crate::inlinks::{Inlinks, SavedInlinks};
use crate::prior::{Prior, SavedPrior};
use crate::saved::{self, Kind};
use crate::{Arrival, BadModel, Criteria, Strategy, Told};

/// How links are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Weighting {
    /// Links within a registrable domain go first: a site is read before the next is begun.
    pub same_site_first: bool,
    /// Terms that many descriptions of links have count less. A word that is looked for is not worth less
    /// for being frequent, so it is off unless wanted.
    pub idf: bool,
    /// Words of the title and of headings count more than those of the text.
    pub headings: bool,
    /// Forms of a word are one term, in the language of the page.
    pub stemming: bool,
    /// What an address weighs that several links lead to.
    pub vertex: VertexWeight,
    /// Which words describe a link.
    pub link_words: LinkWords,
}

impl Default for Weighting {
    fn default() -> Self {
        Self {
            same_site_first: false,
            idf: false,
            headings: true,
            stemming: true,
            vertex: VertexWeight::default(),
            link_words: LinkWords::default(),
        }
    }
}

/// What an address weighs that several links lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VertexWeight {
    /// As much as the best of them.
    #[default]
    Own,
    /// More with each of them.
    Inlinks,
    /// The mean of both.
    Both,
}

impl VertexWeight {
    /// Each with its name.
    pub const ALL: [(&'static str, Self); 3] = [("own", Self::Own), ("inlinks", Self::Inlinks), ("both", Self::Both)];
}

/// Which words describe a link: of its title attribute, the text around it in its block and its own text,
/// the first that is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkWords {
    /// Title, around, text: the order of the document.
    #[default]
    Around,
    /// Title, text, around.
    Text,
    /// All together.
    All,
}

impl LinkWords {
    /// Each with its name.
    pub const ALL: [(&'static str, Self); 3] = [("around", Self::Around), ("text", Self::Text), ("all", Self::All)];
}

/// `weighted`: links whose words, and whose page's words, are those the user looks for.
pub struct Weighted {
    ways: Weighting,
    with_prior: bool,
    criteria: Criteria,
    /// The criteria as terms, in each language that has stems.
    wanted: Vec<(Language, Counts)>,
    mind: Mutex<Mind>,
}

/// What was learnt.
#[derive(Default)]
struct Mind {
    descriptions: Descriptions,
    inlinks: Inlinks,
    prior: Prior,
}

/// A mind as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    descriptions: Descriptions,
    inlinks: SavedInlinks,
    prior: SavedPrior,
}

impl Weighted {
    /// As told; with what it learnt before, or another crawl did, when that is given.
    pub fn new(told: Told) -> Result<Self, BadModel> {
        let own = told.resumed.as_deref().map(|own| saved::resumed(Kind::Weighted, own)).transpose()?.flatten();
        let mind = match (own, told.taught) {
            (Some(Saved { descriptions, inlinks, prior }), _) => {
                Mind { descriptions, inlinks: Inlinks::restored(inlinks), prior: Prior::restored(prior) }
            }
            // Links that another crawl found are not those of this one.
            (None, Some(other)) => {
                let Saved { descriptions, prior, .. } = saved::read(Kind::Weighted, &other)?;
                Mind { descriptions, prior: Prior::restored(prior), ..Mind::default() }
            }
            (None, None) => Mind::default(),
        };
        let terms = |language| {
            let mut speech = Speech::of(language, told.weighting.stemming);
            (language, speech.counts(&told.criteria.words().join(" ")))
        };
        Ok(Self {
            ways: told.weighting,
            with_prior: told.prior,
            wanted: Language::all().map(terms).collect(),
            criteria: told.criteria,
            mind: Mutex::new(mind),
        })
    }

    /// What is looked for.
    pub fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wanted(&self, language: Language) -> Option<&Counts> {
        self.wanted.iter().find(|(known, _)| *known == language).map(|(_, wanted)| wanted)
    }

    /// How much a description in a language says what is looked for, from 0 to 1: `Sim` of the document,
    /// without regard to how common its terms are.
    pub fn similarity(&self, description: &str, language: Option<&str>) -> f64 {
        let language = language.and_then(Language::of_code).unwrap_or(Language::ENGLISH);
        let Some(wanted) = self.wanted(language) else { return 0.0 };
        cosine(wanted, &Speech::of(language, self.ways.stemming).counts(description), |_| 1.0)
    }

    /// Divides what was summed by the largest sum there can be.
    fn weight(&self, same_site: bool, page: f64, similarity: f64) -> f64 {
        if self.ways.same_site_first {
            (f64::from(u8::from(same_site)) + page + similarity) / 3.0
        } else {
            (page + similarity) / 2.0
        }
    }

    /// What the address weighs that a link of this weight leads to, with all that were seen to lead there.
    fn vertex(&self, link: &Link, own: f64, new: bool, inlinks: &mut Inlinks) -> f64 {
        if self.ways.vertex == VertexWeight::Own {
            return own;
        }
        let id = link.url.id();
        let sum = f64::from(if new { inlinks.count(id, own as f32) } else { inlinks.with(id, own as f32) });
        // A sum has no largest value: this grows with it, in steps, so that not every link moves the address.
        let all = (sum / (1.0 + sum) * STEPS).floor() / STEPS;
        if self.ways.vertex == VertexWeight::Inlinks { all } else { (own + all) / 2.0 }
    }

    fn description<'l>(&self, link: &'l Link) -> std::borrow::Cow<'l, str> {
        let first = |texts: [&'l String; 3]| {
            texts.into_iter().map(|text| text.trim()).find(|text| !text.is_empty()).unwrap_or_default().into()
        };
        match self.ways.link_words {
            LinkWords::Around => first([&link.title, &link.around, &link.text]),
            LinkWords::Text => first([&link.title, &link.text, &link.around]),
            LinkWords::All => format!("{}\n{}\n{}", link.title, link.text, link.around).into(),
        }
    }
}

/// Steps in which an address gains by further links to it.
const STEPS: f64 = 512.0;

fn language_of(page: &Page) -> Language {
    page.language.as_deref().and_then(Language::of_code).unwrap_or(Language::ENGLISH)
}

impl Strategy for Weighted {
    fn name(&self) -> &'static str {
        "weighted"
    }

    fn seed(&self) -> Order {
        Order::Best(Priority::HIGHEST)
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        let (page, language) = (arrival.page, language_of(arrival.page));
        let none = Counts::new();
        let wanted = self.wanted(language).unwrap_or(&none);
        let mut speech = Speech::of(language, self.ways.stemming);
        let about = cosine(wanted, &speech.page(page, self.ways.headings), |_| 1.0);
        let described: Vec<Counts> = page.links.iter().map(|link| speech.counts(&self.description(link))).collect();
        let here = self.ways.same_site_first.then(|| page.url.site());

        let mut mind = self.mind();
        let Mind { descriptions, inlinks, prior } = &mut *mind;
        let new = inlinks.is_new(arrival.id);
        if new {
            prior.page(&page.url);
        }
        if new && self.ways.idf {
            described.iter().for_each(|description| descriptions.count(description));
        }
        let order = |(link, description): (&Link, &Counts)| {
            let rarity = |term: &str| if self.ways.idf { descriptions.rarity(term) } else { 1.0 };
            let same_site = here.as_ref().is_some_and(|here| *here == link.url.site());
            let own = self.weight(same_site, about, cosine(wanted, description, rarity));
            let weight = self.vertex(link, own, new, inlinks);
            let weight = if self.with_prior { prior.applied(&link.url, weight) } else { weight };
            Order::Best(Priority::new(weight))
        };
        page.links.iter().zip(&described).map(order).collect()
    }

    fn kept(&self, page: &Url, located: bool) {
        self.mind().prior.photograph(page, located);
    }

    fn learnt(&self) -> Option<Vec<u8>> {
        let mind = self.mind();
        let saved =
            Saved { descriptions: mind.descriptions.clone(), inlinks: mind.inlinks.saved(), prior: mind.prior.saved() };
        drop(mind);
        saved::write(Kind::Weighted, &saved)
    }
}
