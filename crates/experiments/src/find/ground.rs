//! Questions, and what a search engine would name for them.

use lab::{Answers, Asked, Mirror, Web};

/// Pages that are looked through for start pages.
const LOOKED: usize = 12_000;

/// A question whose answers are known.
pub(super) struct Topic {
    pub word: &'static str,
    pub language: &'static str,
}

/// Questions in several languages.
pub(super) fn topics(web: &Web, most: usize) -> Vec<Topic> {
    let mut topics = Vec::new();
    let lists: Vec<(&'static str, Vec<&'static str>)> =
        ["en", "de"].into_iter().map(|language| (language, web.topic_words(language))).collect();
    for at in 0..most {
        let (language, words) = &lists[usize::from(at % 3 == 2) % lists.len()];
        if let Some(word) = words.get(at % words.len().max(1)) {
            topics.push(Topic { word, language });
        }
    }
    topics
}

/// What a search engine would name: pages that have the word, most of them about it, some in passing, some
/// only in the texts of links.
pub(super) fn named_pages(web: &Web, topic: &Topic, most: usize) -> Vec<String> {
    let (mut about, mut passing, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for (page, _) in web.walk().take(LOOKED) {
        let Some(url) = web.url_of(page) else { continue };
        let Some(truth) = web.truth(&url).and_then(|truth| truth.page) else { continue };
        if truth.language != topic.language {
            continue;
        }
        if web.is_on_topic(page, topic.word) {
            about.push(url);
        } else if truth.passing == Some(topic.word) {
            passing.push(url);
        } else if truth.anchors_only == Some(topic.word) {
            listed.push(url);
        }
        if about.len() >= most && passing.len() >= most && listed.len() >= most {
            break;
        }
    }
    // One of each site, so that the answer is spread as a search engine spreads it.
    let mut named = Vec::new();
    let mut hosts = std::collections::HashSet::new();
    let shares = [(about, most * 5 / 10), (passing, most * 3 / 10), (listed, most * 2 / 10)];
    for (pages, share) in shares {
        let mut taken = 0;
        for url in pages {
            if taken < share && hosts.insert(url.host_str().to_owned()) {
                named.push(url.to_string());
                taken += 1;
            }
        }
    }
    named
}

/// A start page of each site.
pub(super) fn home_pages(settings: &lab::Settings) -> Vec<String> {
    let web = Web::new(lab::Settings { latency: None, ..settings.clone() });
    let mut hosts = std::collections::HashSet::new();
    let mut pages = Vec::new();
    for (page, _) in web.walk().take(40 * settings.hosts as usize) {
        if pages.len() >= settings.hosts as usize {
            break;
        }
        if let Some(url) = web.url_of(page).filter(|url| hosts.insert(url.host_str().to_owned())) {
            pages.push(url.to_string());
        }
    }
    pages
}

/// Words of which nearly every page has one.
pub(super) fn all_words(settings: &lab::Settings) -> String {
    let web = Web::new(settings.clone());
    let mut words: Vec<&str> = Vec::new();
    for language in ["en", "de", "fi", "sv", "fr", "es"] {
        words.extend(web.topic_words(language).into_iter().take(5));
    }
    words.truncate(30);
    words.join(" OR ")
}

/// The word that the first pages of a folder have most of.
pub(super) fn telling_word(mirror: &Mirror) -> Option<String> {
    let mut counts = std::collections::HashMap::<String, u32>::new();
    for url in mirror.seeds().iter().take(5) {
        let asked = Asked { host: url.host_str().into(), target: url.path_and_query().into(), ..Asked::default() };
        let answer = mirror.answer(&asked);
        let page = page::read(&answer.body, answer.header("content-type"), url, &page::Limits::default());
        for (word, count) in page.words().iter() {
            if word.chars().count() > 4 && word.chars().all(char::is_alphabetic) && !strategy::is_stop_word(word) {
                *counts.entry(word.to_owned()).or_default() += count;
            }
        }
    }
    let best = counts.into_iter().max_by(|(a, left), (b, right)| left.cmp(right).then_with(|| b.cmp(a)));
    best.map(|(word, _)| word)
}
