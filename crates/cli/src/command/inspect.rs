//! `bowerbird inspect`.

use std::collections::HashSet;
use std::path::Path;

use crawl::{Inspection, Limits, inspect_address, inspect_file};
use facts::Url;
use fetch::Fetcher;

use super::{Place, now};
use crate::arguments::Inspect;
use crate::config;
use crate::output::{print_json, print_line};

/// Says what is in each file. What cannot be read is said too, and makes the command fail in the end.
pub async fn inspect(place: Place, config: Option<&Path>, order: Inspect) -> anyhow::Result<()> {
    let reach = order.reach.read()?;
    let contact = config::read(config)?.crawl.manners.contact;
    let mut fetcher = None;
    let mut asked = HashSet::new();
    let mut found = Vec::new();
    for file in &order.files {
        let inspection = match address(file) {
            Some(url) => {
                if fetcher.is_none() {
                    let hosts = order.files.iter().filter_map(|file| address(file)).map(|url| url.host()).collect();
                    fetcher = Some(Fetcher::new(crawl::fetch_settings(&reach, hosts, contact.clone()))?);
                }
                // Whoever serves several of the files is not asked for them at once.
                if !asked.insert(url.host()) {
                    tokio::time::sleep(crawl::Manners::default().delay).await;
                }
                match &fetcher {
                    Some(fetcher) => inspect_address(&url, fetcher, &Limits::default(), order.descriptors, now()).await,
                    None => continue,
                }
            }
            None => {
                let (file, descriptors) = (file.clone(), order.descriptors);
                tokio::task::spawn_blocking(move || inspect_file(Path::new(&file), descriptors, now())).await?
            }
        };
        if !place.json {
            print(&inspection, found.is_empty())?;
        }
        found.push(inspection);
    }
    if place.json {
        print_json(&found)?;
    }
    let unreadable = found.iter().filter(|inspection| !inspection.readable).count();
    anyhow::ensure!(unreadable == 0, "{unreadable} of {} could not be read", found.len());
    Ok(())
}

fn address(text: &str) -> Option<Url> {
    (text.starts_with("http://") || text.starts_with("https://")).then(|| Url::parse(text).ok()).flatten()
}

fn print(found: &Inspection, first: bool) -> anyhow::Result<()> {
    if !first {
        print_line("")?;
    }
    print_line(&found.file)?;
    if let Some(error) = &found.error {
        print_line(format!("  {error}"))?;
    }
    let sides = found.width.zip(found.height).map(|(width, height)| format!("{width} × {height}"));
    let turned = found.orientation.filter(|orientation| *orientation != 1).map(|o| format!("{o} (turned or mirrored)"));
    let location = found.location.as_ref().map(|location| {
        let altitude = location.altitude.map_or(String::new(), |metres| format!(", {metres:.0} m above the sea"));
        let direction = location.direction.map_or(String::new(), |degrees| format!(", looking {degrees:.0}°"));
        format!("{:.6}, {:.6}{altitude}{direction} ({})", location.lat, location.lon, location.source)
    });
    let names = found.place_names.as_ref().map(|names| {
        let names = [&names.sublocation, &names.city, &names.state, &names.country];
        names.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ")
    });
    let lines = [
        ("what", found.format.zip(found.kind).map(|(format, kind)| format!("{format} ({kind})"))),
        ("size", found.size.map(crawl::quantity::show_bytes)),
        ("pixels", sides),
        ("orientation", turned),
        ("duration", found.duration.map(|seconds| format!("{seconds:.1} s"))),
        ("taken", found.taken.clone()),
        ("camera", camera(found)),
        ("location", location),
        ("lies in", found.location.as_ref().and_then(|location| location.place.clone())),
        ("wrong location", found.wrong_location.map(str::to_owned)),
        ("place", names),
        ("title", found.title.clone()),
        ("description", found.description.clone()),
        ("key words", Some(found.keywords.join(", ")).filter(|words| !words.is_empty())),
        ("licence", found.licence.clone()),
        ("author", found.author.clone()),
        ("sha256", found.hashes.sha256.clone()),
        ("pixels' hash", found.hashes.pixels.clone()),
        ("looks like", found.hashes.phash.clone()),
        ("fingerprint", found.fingerprint.map(|moments| format!("{moments} moments"))),
        ("not decoded", found.undescribed.clone()),
    ];
    let vectors = found.descriptors.iter().flatten().map(|(name, vector)| {
        let values = vector.iter().map(f32::to_string).collect::<Vec<_>>().join(" ");
        (name.as_str(), Some(values))
    });
    for (name, value) in lines.into_iter().chain(vectors) {
        if let Some(value) = value {
            print_line(format!("  {name:<15} {value}"))?;
        }
    }
    Ok(())
}

fn camera(found: &Inspection) -> Option<String> {
    match (&found.make, &found.model) {
        // Many models begin with the name of their maker.
        (Some(make), Some(model)) if !model.starts_with(make.as_str()) => Some(format!("{make} {model}")),
        (_, Some(model)) => Some(model.clone()),
        (make, None) => make.clone(),
    }
}
