//! What a page gives to visit next.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use facts::{Directives, MediaKind, Order, Url, UrlError, UrlId};
use fetch::{CookieMark, Fetcher, Response};
use lru::LruCache;
use media::{LinksTo, Rules, foresee, judge_link};
use page::{Media, MediaOrigin, Page, Tags, TextRun};
use store::{Blocked, Claim, Link, LinkContext, MediaReference, PageFacts, VisitKind};
use strategy::{Arrival, Filter, Refusal, Strategy};

use crate::content::{Content, Trouble};
use crate::lexicon::Lexicon;
use crate::places::{Interest, page_place, said_on_page};
use crate::sites::Sites;
use crate::steps::{Steps, Work};

/// Text kept around a link for strategies that learn from it.
const CONTEXT_BYTES: usize = 240;

/// What says where to go, and where not.
pub(crate) struct Guide {
    pub strategy: Box<dyn Strategy>,
    pub filter: Arc<Filter>,
    pub rules: Arc<Rules>,
    /// What may not come back.
    pub blocked: Blocked,
    /// What sites list of their pages.
    pub sites: Arc<Sites>,
    pub interest: Interest,
    /// How common words are.
    pub lexicon: Lexicon,
    pub steps: Arc<Steps>,
}

/// Orders and filters the links of a page that was just read.
pub(crate) fn gather(
    claim: &Claim,
    page: &Page,
    wishes: Directives,
    size: u64,
    guide: &Guide,
) -> (PageFacts, Vec<Link>) {
    let Guide { strategy, filter, rules, blocked, sites, interest, lexicon, steps } = guide;
    let about = {
        let _timed = steps.time_within(Work::Places, Work::ReadingPages);
        interest.about(page)
    };
    let wanted_language = filter.admits_language(page.language.as_deref()).is_ok();
    let depth = claim.link.depth + 1;
    let mut links = Vec::new();
    let mut media = Vec::new();
    if wanted_language {
        // Of no use where no kind of media is wanted.
        let linked = LazyCell::new(|| Linked::of(page, rules));
        for (found, places) in page.media.iter().zip(about.media) {
            let refusal = filter.admits_media(&found.url, found.kind).err();
            if refusal == Some(Refusal::Kind) || linked.leads_away(found) || blocked.address(&found.url) {
                continue;
            }
            // What goes by the address comes first: it is the same on every page.
            let refused = if let Err(refusal) = linked.judge(found) {
                Some(refusal.as_str())
            } else if wishes.noindex {
                Some("robots")
            } else if wishes.reserve_media(found.kind) {
                Some("opt-out")
            } else {
                refusal.map(Refusal::as_str)
            };
            if refused.is_none() {
                links.push(media_link(claim, page, found));
            }
            media.push(MediaReference {
                url: found.url.clone(),
                kind: found.kind,
                description: found.description(),
                licence: found.rights.licence.clone(),
                author: found.rights.author.clone(),
                locations: said_on_page(places),
                refused: refused.map(str::to_owned),
            });
        }
    }
    let branch = claim.link.branch.onward(about.relevant);
    let arrival = Arrival {
        page,
        relevant: about.relevant,
        id: claim.id,
        parent: claim.link.parent,
        referer: claim.link.referer.as_ref(),
        anchor: &claim.link.context.anchor,
        around: &claim.link.context.around,
        branch: claim.link.branch,
    };
    if wanted_language && !wishes.nofollow {
        for (found, order) in page.links.iter().zip(strategy.links(&arrival)) {
            if found.rel.nofollow || filter.admits(&found.url, depth).is_err() || blocked.address(&found.url) {
                continue;
            }
            if sites.lists(&found.url) {
                continue;
            }
            links.push(Link {
                url: found.url.clone(),
                kind: VisitKind::Page,
                order,
                depth,
                branch,
                parent: Some(claim.id),
                referer: Some(page.url.clone()),
                context: LinkContext { anchor: cut(&found.text), around: cut(&found.around) },
                hops: Vec::new(),
                reopen: false,
            });
        }
    }
    let malformed = page.malformed_structured as u64;
    let facts = if wishes.noindex {
        // The site asked not to be indexed: only that the page was visited is kept.
        PageFacts { size, media, malformed, relevant: about.relevant, ..PageFacts::default() }
    } else {
        PageFacts {
            title: page.title.clone(),
            description: page.description.clone(),
            keywords: keywords(page),
            // They are key words of what it shows.
            telling: if media.is_empty() { Vec::new() } else { lexicon.telling(page, claim.round == 0) },
            language: page.language.clone(),
            size,
            canonical: page.canonical.clone(),
            relevant: about.relevant,
            places: about.places.iter().map(page_place).collect(),
            focus: about.focus,
            focus_confidence: about.focus.map(|_| about.focus_confidence),
            media,
            malformed,
            dynamic: 0,
            states: 0,
            cut: page.truncated,
            partial: false,
        }
    };
    (facts, links)
}

/// Key words and headings, of each kind the first.
const KEYWORDS: usize = 50;
const HEADINGS: usize = 30;

/// What a page says of itself in a few words: its key words, then its headings.
fn keywords(page: &Page) -> Vec<String> {
    let is_heading = |tags: Tags| [Tags::H1, Tags::H2, Tags::H3].into_iter().any(|tag| tags.contains(tag));
    let heading = |run: &TextRun| page.text.get(run.range.start as usize..run.range.end as usize);
    let headings = page.runs.iter().filter(|run| is_heading(run.tags)).filter_map(heading);
    let headings = headings.map(str::trim).filter(|text| !text.is_empty()).take(HEADINGS).map(cut);
    page.keywords.iter().take(KEYWORDS).map(|word| cut(word)).chain(headings).collect()
}

/// Pictures of a page that are links to pictures, such as thumbnails.
pub(crate) struct Linked<'p> {
    page: &'p Page,
    rules: &'p Rules,
    /// Pictures the page names itself, by address: whether as a link only.
    pictures: HashMap<UrlId, bool>,
    /// Pictures of other sites that pictures of this page link to.
    away: HashSet<UrlId>,
}

impl<'p> Linked<'p> {
    pub fn of(page: &'p Page, rules: &'p Rules) -> Self {
        let images = || page.media.iter().filter(|media| media.kind == MediaKind::Image);
        let pictures = if rules.thumbnails {
            HashMap::new()
        } else {
            images().map(|media| (media.url.id(), media.origin == MediaOrigin::Link)).collect()
        };
        let mut linked = Self { page, rules, pictures, away: HashSet::new() };
        linked.away = images()
            .filter(|media| linked.leads(media) == Some(LinksTo::OtherSite))
            .filter_map(|media| Some(media.link_target.as_ref()?.id()))
            .filter(|target| linked.pictures.get(target) == Some(&true))
            .collect();
        linked
    }

    /// Where the picture leads when it leads to another picture.
    fn leads(&self, found: &Media) -> Option<LinksTo> {
        let target = found.link_target.as_ref().filter(|_| found.origin != MediaOrigin::Link)?;
        let is_picture = target.id() != found.url.id() && self.pictures.contains_key(&target.id());
        let same_site = target.site() == self.page.url.site();
        is_picture.then_some(if same_site { LinksTo::SameSite } else { LinksTo::OtherSite })
    }

    /// A picture of another site that is on this page only behind a dropped thumbnail goes with it.
    pub fn leads_away(&self, found: &Media) -> bool {
        !self.away.is_empty() && self.away.contains(&found.url.id())
    }

    /// Whether what the page says of a picture is against it.
    pub fn judge(&self, found: &Media) -> Result<(), media::Refusal> {
        if found.kind != MediaKind::Image {
            return Ok(());
        }
        if let Some(target) = self.leads(found) {
            judge_link(self.rules, target)?;
        }
        foresee(self.rules, &found.alt, &found.url.file_name())
    }
}

/// Media of a page are taken in the order they were found.
fn media_link(claim: &Claim, page: &Page, found: &Media) -> Link {
    Link {
        url: found.url.clone(),
        kind: VisitKind::Media(found.kind),
        order: Order::FirstIn,
        depth: claim.link.depth + 1,
        branch: claim.link.branch,
        parent: Some(claim.id),
        referer: Some(page.url.clone()),
        // The keep rules ask for it when the file is there.
        context: LinkContext { anchor: cut(&found.alt), around: String::new() },
        hops: Vec::new(),
        reopen: false,
    }
}

/// The start of a text, whole characters only.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(CONTEXT_BYTES)].to_owned()
}

/// Hops of one redirect chain.
const HOPS: usize = 10;
const HOPS_REMEMBERED: NonZeroUsize = NonZeroUsize::new(8192).unwrap();

/// The addresses that redirected this process, with the cookies they were asked for with. Cookies live as
/// long as it does: a chain that began before has lost those it was given on the way, and begins anew when it
/// comes back to itself.
pub(crate) struct Hops(Mutex<LruCache<UrlId, CookieMark>>);

impl Hops {
    pub fn new() -> Self {
        Self(Mutex::new(LruCache::new(HOPS_REMEMBERED)))
    }

    fn made(&self, id: UrlId, cookies: CookieMark) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(id, cookies);
    }

    fn asked_with(&self, id: UrlId) -> Option<CookieMark> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).copied()
    }
}

/// A redirect is a link of its own: its target waits under its own host. Back to an address of its own chain
/// it leads only where other cookies go now than went before, as with cookie walls. Which answer set them does
/// not matter: of two pages that led to a wall before it was passed, the second finds it open.
pub(crate) fn redirect(
    claim: &Claim,
    target: Result<Url, UrlError>,
    response: &Response,
    fetcher: &Fetcher,
    hops: &Hops,
    filter: &Filter,
) -> Result<Content, Trouble> {
    let target =
        target.map_err(|error| Trouble::lasting("redirect", format!("redirects to a bad address: {error}")))?;
    if claim.link.hops.len() >= HOPS {
        return Err(Trouble::lasting("redirect", format!("more than {HOPS} redirects in a row")));
    }
    let id = target.id();
    let returns = id == claim.id || claim.link.hops.contains(&id);
    hops.made(claim.id, response.cookies);
    let before = if returns { hops.asked_with(id) } else { None };
    if before.is_some_and(|cookies| cookies == fetcher.cookies(&target)) {
        return Err(Trouble::lasting("redirect", format!("redirects in a circle, back to {target}")));
    }
    if claim.link.parent.is_none() {
        filter.widen(&target);
    }
    let admitted = match claim.link.kind {
        VisitKind::Page => filter.admits(&target, claim.link.depth).is_ok(),
        VisitKind::Media(kind) => filter.admits_media(&target, kind).is_ok(),
        // Nobody else speaks for a site.
        VisitKind::Report | VisitKind::Sitemap => target.host_str() == claim.link.url.host_str(),
    };
    let mut onward = Link { reopen: returns, ..hop(claim, target.clone()) };
    if returns && before.is_none() {
        onward.hops = vec![claim.id];
    }
    let onward = admitted.then(|| Box::new(onward));
    Ok(Content::Redirect(target, onward))
}

/// `<meta http-equiv=refresh>` is a redirect that pages make themselves.
pub(crate) fn refresh(claim: &Claim, page: &Page, filter: &Filter) -> Option<Link> {
    let target = page.refresh.as_ref().filter(|target| filter.admits(target, claim.link.depth).is_ok())?;
    (claim.link.hops.len() < HOPS && target.id() != claim.id).then(|| hop(claim, target.clone()))
}

/// The claimed link, one hop further.
fn hop(claim: &Claim, target: Url) -> Link {
    let mut link = Link { url: target, reopen: false, ..claim.link.clone() };
    link.hops.push(claim.id);
    link
}
