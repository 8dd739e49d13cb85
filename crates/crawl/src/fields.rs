//! The settings as a form shows them: what each is called, what it does, in which unit.

use serde::Serialize;
use serde_json::Value;
use strategy::{LinkWords, VertexWeight};

use crate::settings::Settings;

/// One setting, described.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Field {
    /// Where it stands in the settings: `limits.max-pages`.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The unit of a number.
    pub unit: Option<&'static str>,
    /// How it is written.
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// What can be chosen; of a list, what may be in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<&'static str>>,
    /// The least number that makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Which part of the form it belongs to.
    pub group: Group,
}

/// How a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldKind {
    /// A number.
    Number,
    /// A line of text.
    Text,
    /// Several lines of text, or several of the choices.
    List,
    /// A time such as `30m`.
    Duration,
    /// A size such as `2GB`, or a number of bytes.
    Bytes,
    /// On or off.
    Switch,
    /// One of the choices.
    Choice,
    /// Addresses of pages.
    UrlList,
    /// A name, `LAT,LON,KM`, `SOUTH,WEST,NORTH,EAST`, or GeoJSON.
    Region,
}

/// A part of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Group {
    /// Where the crawl goes.
    Where,
    /// What it collects.
    What,
    /// What ends it.
    Limits,
    /// How it behaves towards hosts.
    Manners,
    /// In which order it visits.
    Order,
    /// What it visits again.
    Again,
    /// Which files it keeps.
    Keep,
}

impl Field {
    fn new(group: Group, kind: FieldKind, name: &'static str, title: &'static str, help: &'static str) -> Self {
        Self { name, title, help, unit: None, kind, choices: None, min: None, max: None, group }
    }

    fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    fn range(self, min: f64, max: f64) -> Self {
        Self { min: Some(min), max: Some(max), ..self }
    }

    fn choices(self, choices: &[&'static str]) -> Self {
        Self { choices: Some(choices.to_vec()), ..self }
    }

    /// What is wrong with a value, in words; values of the wrong type are not its business.
    fn complaint(&self, value: &Value) -> Option<String> {
        let most = if self.kind == FieldKind::UrlList { LONGEST_SEEDS } else { LONGEST_LIST };
        match value {
            Value::Array(list) if list.len() > most => {
                Some(format!("has {} entries; at most {most} are taken", list.len()))
            }
            Value::String(text) if self.kind != FieldKind::Region && text.len() > LONGEST_TEXT => {
                Some(format!("is longer than {LONGEST_TEXT} characters"))
            }
            Value::Number(number) => {
                let number = number.as_f64()?;
                match (self.min.filter(|min| number < *min), self.max.filter(|max| number > *max)) {
                    (Some(min), _) => Some(format!("must be at least {min}")),
                    (None, Some(max)) => Some(format!("must be at most {max}")),
                    (None, None) => None,
                }
            }
            Value::String(text) if self.kind == FieldKind::Choice => {
                let choices = self.choices.as_ref()?;
                (!choices.contains(&text.as_str())).then(|| format!("must be one of {}", choices.join(", ")))
            }
            _ => None,
        }
    }
}

/// Start pages of one crawl.
const LONGEST_SEEDS: usize = 10_000;
/// Entries of any other list.
const LONGEST_LIST: usize = 1_000;
/// Characters of a text.
const LONGEST_TEXT: usize = 2_000;

/// Everything a crawl can be told, in the order of a form.
pub fn fields() -> Vec<Field> {
    use FieldKind::{Bytes, Choice, Duration, List, Number, Region, Switch, Text, UrlList};
    let (place, what, limits) = (Group::Where, Group::What, Group::Limits);
    let (manners, order, again, keep) = (Group::Manners, Group::Order, Group::Again, Group::Keep);
    let count = 1e12;
    vec![
        Field::new(place, UrlList, "seeds", "Start pages", "Where the crawl starts: one address a line."),
        Field::new(place, Text, "query", "Words", "What is looked for: the strategy weighted goes by these words, and without start pages sources are asked for them. A minus before a word leaves it out."),
        Field::new(place, Region, "region", "Region", "Pages with an address here are relevant: a name, LAT,LON,KM, SOUTH,WEST,NORTH,EAST or GeoJSON. Without one every address counts."),
        Field::new(place, Choice, "granularity", "How exactly", "How exactly a page must name a place to be relevant: by an address or coordinates, or by its name.").choices(&["address", "place"]),
        Field::new(place, Choice, "scope", "How far links may lead", "Only the hosts of the start pages, only their domains, or anywhere.").choices(&["host", "domain", "any"]),
        Field::new(place, List, "include", "Only addresses like", "Patterns; * stands for anything. Start pages are always visited."),
        Field::new(place, List, "exclude", "No addresses like", "Patterns of addresses that are not visited."),
        Field::new(place, List, "lang", "Languages", "Follow only pages in these languages, such as de and en; none means all."),
        Field::new(place, List, "exclude-tld", "Not under", "Top-level domains whose hosts are not visited."),
        Field::new(place, Number, "max-depth", "Depth", "How many links from a start page at most.").unit("links").range(0.0, 1e6),
        Field::new(what, List, "kind", "Kinds", "What is collected; with none, only pages are read.").choices(&["image", "video", "audio"]),
        Field::new(what, Switch, "places", "Look for places in words", "Without it only what says itself where it was made is located, and no page is relevant."),
        Field::new(what, Choice, "render", "Run scripts", "Whether pages are shown in a browser, and what their scripts bring is read too: never, for pages that need it, or for all. It needs Chromium, and takes a hundred times as long.").choices(&crate::rendering::Render::NAMES.map(|(name, _)| name)),
        Field::new(what, List, "content-types", "Types of pages", "Content types that are read as pages; none means all that are HTML."),
        Field::new(limits, Number, "limits.max-pages", "Pages", "The run ends after so many pages; their media are still collected. Without any limit it reads 1,000.").range(1.0, count),
        Field::new(limits, Duration, "limits.max-time", "Time", "The run ends after this time at work, such as 30m."),
        Field::new(limits, Bytes, "limits.max-bytes", "Traffic", "The run ends after so much was received, such as 2GB.").range(1.0, 1e18),
        Field::new(limits, Text, "until", "Until this page", "The run ends when this address was visited."),
        Field::new(limits, Bytes, "limits.min-free-disk", "Keep free", "The run ends when less is free on the disk.").range(0.0, 1e18),
        Field::new(limits, Duration, "limits.max-answer", "Time for an answer", "How long one page or file may take, from the request to its last byte, such as 5m."),
        Field::new(limits, Duration, "limits.max-render", "Time for scripts", "How long the scripts of one page may take, all that is tried on it included, such as 15s."),
        Field::new(limits, Bytes, "limits.max-page", "Largest page", "What is longer is cut.").range(1024.0, 1e9),
        Field::new(limits, Bytes, "limits.max-file", "Largest file", "Larger media files are not fetched.").range(1024.0, 1e12),
        Field::new(limits, Number, "task-pages", "Pages of a task", "The unit in which run times are compared; a run without any limit is one task.").unit("pages").range(1.0, count),
        Field::new(limits, Number, "budgets.per-host", "Pages of one host", "More are not queued: against traps.").unit("pages").range(1.0, count),
        Field::new(limits, Number, "budgets.per-template", "Pages of one shape", "Pages of a host whose addresses differ only in digits and long tokens.").unit("pages").range(1.0, count),
        Field::new(manners, Duration, "manners.delay", "Delay", "From the end of one request to a host to the start of the next; what its robots.txt asks for wins when it is longer."),
        Field::new(manners, Duration, "manners.longest-delay", "Longest delay", "What robots.txt asks for beyond this is cut to it."),
        Field::new(manners, Text, "manners.contact", "Contact", "A mail address or page where site owners reach you; sent with every request."),
        Field::new(manners, Number, "concurrency", "Requests at once", "Over all hosts; never two to one host. With 1 the order of visits is exact.").unit("requests").range(1.0, 4096.0),
        Field::new(manners, Number, "tries", "Tries", "How many requests an address is worth when its host answers with an error that may pass.").unit("requests").range(1.0, 100.0),
        Field::new(manners, Duration, "patience", "Patience", "The run ends when all that is left waits for hosts that rest longer than this."),
        Field::new(order, Choice, "strategy", "Strategy", "What is visited next: breadth first, depth first, by words that links share with their page, by the words that are looked for, by distance to the region, by what was learnt of links, or by how many pages link to it.").choices(strategy::NAMES),
        Field::new(order, Text, "model", "Learn from", "The name of a crawl whose knowledge of links this one starts with."),
        Field::new(order, Switch, "prior", "Prefer where photographs were found", "For the strategies geo and weighted."),
        Field::new(order, Number, "prediction-depth", "Links ahead", "How far the strategy geo predicts.").unit("links").range(1.0, 3.0),
        Field::new(order, Switch, "weighted.same-site-first", "Same site first", "The strategy weighted reads a site before it begins the next."),
        Field::new(order, Switch, "weighted.idf", "Rare words count more", "Words that many links have count less, also those that are looked for. For the strategy weighted."),
        Field::new(order, Switch, "weighted.headings", "Headings count more", "Words of a page's title count five times, those of headings four to two times. For the strategy weighted."),
        Field::new(order, Switch, "weighted.stemming", "Forms of a word are one", "Also bridges when bridge is looked for, in the language of the page. For the strategy weighted."),
        Field::new(order, Choice, "weighted.vertex", "Several links to an address", "It is as urgent as the best of them, more with each of them, or the mean of both. For the strategy weighted.").choices(&VertexWeight::ALL.map(|(name, _)| name)),
        Field::new(order, Choice, "weighted.link-words", "Words of a link", "Its title, or what stands around it, or its own text; its title, or its own text, or what stands around it; or all of them. For the strategy weighted.").choices(&LinkWords::ALL.map(|(name, _)| name)),
        Field::new(again, Choice, "revisit.policy", "Come back", "Which known pages a run visits again: none, all, those that have probably changed, those near the start pages, or those that the site's watcher reports. What did not change costs one short request.").choices(&crate::revisit::Policy::NAMES),
        Field::new(again, Number, "revisit.chance", "When likely changed", "For the policy proportional: a page is due when it has changed with this probability, as far as earlier visits tell.").range(0.0, 1.0),
        Field::new(again, Number, "revisit.levels", "Levels", "For the policy top-levels: how many links from a start page.").unit("links").range(0.0, 1e6),
        Field::new(keep, Choice, "keep.preset", "Images to keep", "Photographs by their sides; all but icons and banners; JPEG and PNG for a database; or all.").choices(&["photo", "query", "database", "all"]),
        Field::new(keep, Switch, "keep.only-located", "Only located ones", "Keep only what says itself where it was made."),
        Field::new(keep, Choice, "keep.probe", "How files are asked for", "In parts, of which the first decides; as a stream that is broken off; or as a whole.").choices(&["parts", "stream", "whole"]),
        Field::new(keep, Number, "keep.thumbnail-size", "Thumbnails", "The longer side; 0 makes none.").unit("pixels").range(0.0, 4096.0),
        Field::new(keep, List, "keep.formats", "Formats", "Such as jpeg and png; none means any."),
        Field::new(keep, Number, "keep.min-width", "Least width", "").unit("pixels").range(0.0, 1e6),
        Field::new(keep, Number, "keep.min-height", "Least height", "").unit("pixels").range(0.0, 1e6),
        Field::new(keep, List, "keep.ratios", "Ratios of sides", "Such as 4:3; none means any."),
        Field::new(keep, Number, "keep.tolerance", "Tolerance", "How far from a ratio the sides may be, as a part of it.").range(0.0, 1.0),
        Field::new(keep, Text, "keep.aspect.least", "Most upright", "The least ratio of width to height, such as 1:3."),
        Field::new(keep, Text, "keep.aspect.most", "Widest", "The largest ratio of width to height, such as 3:1."),
        Field::new(keep, Switch, "keep.aspect.open", "Without the two themselves", "Whether pictures of just these ratios are left out."),
        Field::new(keep, List, "keep.words", "Words of logos and banners", "Pictures whose alternative text or file name has one of them are not kept."),
        Field::new(keep, Switch, "keep.linked", "Thumbnails of links", "Whether a picture that is a link to a picture is kept itself."),
        Field::new(keep, Switch, "keep.spare-located", "Spare located ones", "Keep a picture that says where it was made whatever its sides and words."),
        Field::new(keep, Duration, "keep.min-duration", "Shortest film or sound", ""),
        Field::new(keep, Duration, "keep.max-duration", "Longest film or sound", ""),
    ]
}

/// Settings from the JSON a form sends: every key may be left out or null. What is wrong, field by
/// field, with its name and what to do.
pub fn from_form(form: &Value) -> Result<Settings, Vec<(String, String)>> {
    let mut wrong = Vec::new();
    let form = without_nulls(form);
    if !form.is_object() {
        return Err(vec![(String::new(), "the settings must be an object".into())]);
    }
    let fields = fields();
    for (name, value) in leaves(&form, &fields) {
        let alone = name.rsplit('.').fold(value.clone(), |inner, key| serde_json::json!({ key: inner }));
        // The two ends of an aspect belong together; it is checked as a whole below.
        let read = match name.starts_with("keep.aspect.") {
            true => Ok(Settings::default()),
            false => serde_json::from_value::<Settings>(alone),
        };
        let complaint = match read {
            Err(error) => Some(error.to_string()),
            Ok(_) => fields.iter().find(|field| field.name == name).and_then(|field| field.complaint(&value)),
        };
        wrong.extend(complaint.map(|complaint| (name, complaint)));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let settings: Settings =
        serde_json::from_value(form).map_err(|error| vec![("keep.aspect".to_owned(), error.to_string())])?;
    let wrong = settings.complaints();
    if wrong.is_empty() { Ok(settings) } else { Err(wrong) }
}

impl Settings {
    /// What a crawl cannot start without, and settings for many crawls can: the field, and what to do.
    pub fn missing(&self) -> Option<(String, String)> {
        self.criteria().err().map(|error| ("query".to_owned(), error.to_string()))
    }

    /// What a crawl with these settings would not start with, by field.
    fn complaints(&self) -> Vec<(String, String)> {
        use strategy::FilterError;
        let mut wrong = Vec::new();
        if let Err(error) = crate::places::Interest::of(self) {
            wrong.push(("region".to_owned(), error.to_string()));
        }
        // What is usual for many crawls may leave it to each of them to say what it looks for.
        if let Err(error) = strategy::Criteria::of(self.query.as_deref())
            && self.query.is_some()
            && self.strategy == "weighted"
        {
            wrong.push(("query".to_owned(), error.to_string()));
        }
        if let Err(error) = strategy::Filter::new(&self.filter(), &self.seeds) {
            let field = match &error {
                FilterError::Pattern(pattern) if self.include.contains(pattern) => "include",
                FilterError::Pattern(_) => "exclude",
                FilterError::Language(_) => "lang",
                FilterError::Tld(_) => "exclude-tld",
                FilterError::ContentType(_) => "content-types",
            };
            wrong.push((field.to_owned(), error.to_string()));
        }
        if let Err(error) = self.check() {
            let field = error.split_whitespace().next().unwrap_or_default().to_owned();
            wrong.push((field, error));
        }
        wrong
    }
}

/// Null means the default, as if it were left out.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key.clone(), without_nulls(value))).collect()
        }
        other => other.clone(),
    }
}

/// The settings one by one, by the names that [`fields()`] gives them.
fn leaves(form: &Value, fields: &[Field]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), form.clone())];
    while let Some((name, value)) = open.pop() {
        let inner = format!("{name}.");
        let is_table = name.is_empty() || fields.iter().any(|field| field.name.starts_with(&inner));
        match value {
            Value::Object(map) if is_table => {
                let named = |key: String| if name.is_empty() { key } else { format!("{name}.{key}") };
                open.extend(map.into_iter().map(|(key, value)| (named(key), value)));
            }
            value => found.push((name, value)),
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_setting_is_described_once_and_nothing_else() {
        // Settings that are left out when they are not set.
        let all = from_form(&json!({
            "limits": { "max-time": "1h" },
            "keep": { "min-duration": "1s", "max-duration": "1h", "aspect": { "least": "1:3", "most": "3:1" } },
        }))
        .unwrap();
        let all = serde_json::to_value(all).unwrap();
        let fields = fields();
        let described: BTreeSet<_> = fields.iter().map(|field| field.name.to_owned()).collect();
        let there: BTreeSet<_> = leaves(&all, &fields).into_iter().map(|(name, _)| name).collect();
        assert_eq!(described, there);
        assert_eq!(described.len(), fields.len());
        for field in &fields {
            assert_eq!(field.kind == FieldKind::Choice, field.choices.is_some() && field.kind != FieldKind::List);
        }
    }

    #[test]
    fn defaults_pass_their_own_bounds() {
        let settings = serde_json::to_value(Settings::default()).unwrap();
        assert_eq!(from_form(&settings).unwrap(), Settings::default());
    }

    #[test]
    fn what_is_wrong_is_said_at_its_field() {
        for (form, field) in [
            (json!({ "limits": { "max-pages": 0 } }), "limits.max-pages"),
            (json!({ "limits": { "max-time": "soon" } }), "limits.max-time"),
            (json!({ "limits": { "max-pges": 10 } }), "limits.max-pges"),
            (json!({ "limits": 5 }), "limits"),
            (json!({ "seeds": ["ftp://a.example/"] }), "seeds"),
            (json!({ "strategy": "random" }), "strategy"),
            (json!({ "region": "Nowhere at all" }), "region"),
            (json!({ "lang": ["klingon"] }), "lang"),
            (json!({ "include": [""] }), "include"),
            (json!({ "exclude-tld": ["a b"] }), "exclude-tld"),
            (json!({ "concurrency": 100_000 }), "concurrency"),
            (json!({ "concurrency": "many" }), "concurrency"),
            (json!({ "resolve": ["*=127.0.0.1:80"] }), "resolve"),
            (json!({ "allow-private": true }), "allow-private"),
            (json!({ "keep": { "aspect": { "least": "1:3" } } }), "keep.aspect"),
            (json!({ "prediction-depth": 9 }), "prediction-depth"),
            (json!(["seeds"]), ""),
        ] {
            let wrong = from_form(&form).unwrap_err();
            assert_eq!(wrong.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>(), [field], "{wrong:?}");
        }
        assert_eq!(from_form(&json!({ "limits": { "max-time": null }, "until": null })).unwrap(), Settings::default());
        let both = from_form(&json!({ "tries": 0, "patience": 5 })).unwrap_err();
        assert_eq!(both.len(), 2, "{both:?}");
    }
}
