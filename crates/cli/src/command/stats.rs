//! `bowerbird stats`.

use store::{Harvest, LibraryFigures, Units};

use super::Place;
use crate::arguments::Stats;
use crate::output::{counted, print_histogram, print_json, print_line, print_table};

/// Prints the figures of the library.
pub async fn stats(place: Place, stats: Stats) -> anyhow::Result<()> {
    let reader = place.read()?;
    let library = reader.library();
    let figures = library.library_figures(stats.hosts).await?;
    if place.json { print_json(&search::statistics(&figures)) } else { print(&figures) }
}

/// How well crawls found what they were sent for, with small histograms; nothing when they found none.
pub(super) fn print_harvest(harvest: &Harvest) -> anyhow::Result<()> {
    let Some(rate) = harvest.rate().filter(|_| harvest.relevant > 0) else { return Ok(()) };
    let relevant = counted(harvest.relevant, "page");
    print_line(format!("{relevant} of {} are relevant: a harvest rate of {:.1} %", harvest.pages, 100.0 * rate))?;
    print_histogram("links from the seed to a relevant page", &harvest.seed_distance)?;
    print_histogram("pages between one relevant page and the next", &harvest.bridge)?;
    print_histogram("pages after the last relevant page of a branch", &harvest.tail)
}

/// What each part of a crawl did.
pub(super) fn print_units(units: &Units) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = [
        ("controller", units.assigned, "visits assigned"),
        ("crawler", units.fetched, "answers fetched"),
        ("link extractor", units.found, "addresses found on pages"),
        ("dynamic unit", units.dynamic, "of them added by scripts"),
        ("", units.states, "states of pages whose scripts were run"),
        ("sorter", units.ranked, "different addresses ranked"),
    ]
    .map(|(unit, count, what)| vec![unit.to_owned(), count.to_string(), what.to_owned()])
    .into();
    print_table(&["unit", "", "what it did"], &rows)
}

fn print(figures: &LibraryFigures) -> anyhow::Result<()> {
    let share = 100.0 * figures.visited as f64 / figures.discovered.max(1) as f64;
    print_line(format!("{} links discovered, {} visited ({share:.1} %)", figures.discovered, figures.visited))?;
    let kept = |kind: &str| figures.media.get(kind).copied().unwrap_or(0);
    print_line(format!(
        "{} pages, {} distinct images, {} films, {} sounds",
        figures.pages,
        kept("image"),
        kept("video"),
        kept("audio")
    ))?;
    let images = &figures.images;
    if images.total > 0 {
        print_line(format!(
            "of the images {} say where they were taken, {} do not; {} name a place that cannot be",
            images.with_location_in_metadata, images.without, images.wrong_coordinates
        ))?;
        print_line(format!("of those that do not, {} are located by words", images.located_by_text))?;
        if let (Some(width), Some(height)) = (images.average_width, images.average_height) {
            print_line(format!("on average an image has {width:.0} × {height:.0} pixels"))?;
        }
    }
    if figures.pages_with_places > 0 {
        print_line(format!("{} of the pages speak of a place", figures.pages_with_places))?;
    }
    if figures.units.assigned > 0 {
        print_line("")?;
        print_units(&figures.units)?;
    }
    if figures.harvest.relevant > 0 {
        print_line("")?;
        print_harvest(&figures.harvest)?;
    }
    if !figures.tlds.is_empty() {
        print_line("")?;
        let rows: Vec<Vec<String>> =
            figures.tlds.iter().map(|(tld, images)| vec![tld.clone(), images.to_string()]).collect();
        print_table(&["domain", "images that say where they were taken"], &rows)?;
    }
    if !figures.hosts.is_empty() {
        print_line("")?;
        let rows: Vec<Vec<String>> = figures
            .hosts
            .iter()
            .map(|host| {
                vec![host.host.clone(), host.pages.to_string(), host.images.to_string(), host.geotagged.to_string()]
            })
            .collect();
        print_table(&["host", "pages", "images", "with a place"], &rows)?;
    }
    if !figures.runs.is_empty() {
        print_line("")?;
        let rows: Vec<Vec<String>> = figures
            .runs
            .iter()
            .map(|(name, run, pages)| {
                vec![name.clone(), pages.to_string(), format!("{:.1}", run.seconds), super::crawls::state(run)]
            })
            .collect();
        print_table(&["run of", "pages", "seconds", "stopped"], &rows)?;
    }
    Ok(())
}
