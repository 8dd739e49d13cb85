//! Pages as HTML. Every kind of site has its own layout; sizes are log-normal around 30 KB.

pub(crate) mod link;
mod pictures;
mod structured;

use std::fmt::Write;

use crate::dice::Dice;
use crate::graph::{Block, Edge, edges};
use crate::host::{SiteKind, Wall};
use crate::media::decor::Decor;
use crate::media::exif::iso_time;
use crate::page::{Page, Role, name};
use crate::tongue::Label;
use crate::topics::Aside;

/// The words of one kind of layout: element and class names differ from kind to kind.
struct Layout {
    nav: (&'static str, &'static str),
    main: (&'static str, &'static str),
    related: (&'static str, &'static str),
    footer: (&'static str, &'static str),
}

fn layout(kind: SiteKind) -> Layout {
    let made = |nav, main, related, footer| Layout { nav, main, related, footer };
    match kind {
        SiteKind::Photos => {
            made(("nav", "topbar"), ("main", "stream"), ("section", "more-photos"), ("footer", "site-footer"))
        }
        SiteKind::Travel => {
            made(("nav", "mega-menu"), ("article", "story"), ("aside", "you-may-like"), ("footer", "foot"))
        }
        SiteKind::News => {
            made(("div", "sections"), ("article", "article-body"), ("aside", "most-read"), ("div", "footer"))
        }
        SiteKind::Town => made(("ul", "menu"), ("div", "content"), ("div", "sidebar"), ("div", "imprint")),
        SiteKind::Restaurant => made(("div", "menubar"), ("div", "card"), ("div", "also"), ("p", "bottom")),
        SiteKind::Museum => {
            made(("nav", "primary"), ("main", "exhibit"), ("section", "collection"), ("footer", "closing"))
        }
        SiteKind::Shop => made(("div", "categories"), ("div", "product"), ("div", "bought-together"), ("div", "legal")),
        SiteKind::Blog => made(("div", "widget-nav"), ("div", "post"), ("ul", "recent-posts"), ("div", "credits")),
    }
}

/// Text safe inside an attribute or element.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// The HTML of the page.
pub(crate) fn render(page: &Page<'_>) -> String {
    let size = page.dice("size").log_normal(33_000.0, 0.75).clamp(12_000.0, 600_000.0) as usize;
    let mut out = String::with_capacity(size + 8_000);
    let links = edges(page);
    head(page, size, &mut out);
    let layout = layout(page.host.kind);
    let _ = writeln!(out, "<body class=\"{}\">", page.host.kind.word());
    if page.host.wall == Wall::Notice {
        let (notice, agree) = (page.tongue().label(Label::CookieNotice), page.tongue().label(Label::Agree));
        let _ = writeln!(out, "<div class=\"consent\" role=\"dialog\"><p>{notice}</p><button>{agree}</button></div>");
    }
    let _ = writeln!(out, "<header><a href=\"/\"><img src=\"{}\" alt=\"logo\"></a>", Decor::Logo.path());
    if page.role == Role::Home {
        let _ = writeln!(out, "<img src=\"{}\" alt=\"header\">", Decor::Header.path());
    }
    list(page, &links, Block::Nav, layout.nav, &mut out);
    out.push_str("</header>\n");
    main(page, &links, &layout, size, &mut out);
    let _ = writeln!(out, "<h3>{}</h3>", page.tongue().label(Label::Related));
    list(page, &links, Block::Related, layout.related, &mut out);
    out.push_str(&pictures::advert(page));
    list(page, &links, Block::Footer, layout.footer, &mut out);
    out.push_str(&pictures::small_print_pictures(page));
    out.push_str("</body>\n</html>\n");
    out
}

fn head(page: &Page<'_>, size: usize, out: &mut String) {
    let (tongue, mut dice) = (page.tongue(), page.dice("head"));
    let _ = writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>",
        tongue.code,
        escaped(&page.title())
    );
    let mut description = String::new();
    tongue.sentence(&mut dice, &page.spoken, None, &mut description);
    let _ = writeln!(out, "<meta name=\"description\" content=\"{}\">", escaped(description.trim()));
    let _ = writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    if dice.chance(0.7) {
        let _ = writeln!(out, "<link rel=\"canonical\" href=\"{}\">", page.url());
    }
    if let Some(wish) = page.robots_meta() {
        let _ = writeln!(out, "<meta name=\"robots\" content=\"{wish}\">");
    }
    structured::head(page, out);
    style(page, out);
    // A quarter of a page is what its scripts carry along.
    out.push_str("<script>window.__state={\"items\":[");
    let end = out.len() + size / 4;
    while out.len() < end {
        let _ = write!(out, "{{\"id\":{},\"k\":\"{:016x}\"}},", dice.below(100_000), dice.next());
    }
    out.push_str("null]};</script>\n</head>\n");
}

fn style(page: &Page<'_>, out: &mut String) {
    let mut dice = Dice::new(page.settings.number, "style", [u64::from(page.host.index)]);
    out.push_str("<style>\n");
    for n in 0..dice.between(8, 30) {
        let colour = dice.below(1 << 24);
        let _ = writeln!(out, ".c{n} {{ margin: {}px; padding: {}px; color: #{colour:06x} }}", n % 9, n % 5);
    }
    let _ = writeln!(out, ".sprite {{ background: url('{}') }}\n</style>", Decor::Sprite.path());
}

/// The links of one block as a list.
fn list(page: &Page<'_>, links: &[Edge], block: Block, (element, class): (&str, &str), out: &mut String) {
    let _ = writeln!(out, "<{element} class=\"{class}\">");
    let item = if element == "ul" { ("<li>", "</li>") } else { ("<span>", "</span>") };
    for (place, edge) in links.iter().enumerate().filter(|(_, edge)| edge.block == block) {
        out.push_str(item.0);
        anchor(page, edge, place, out);
        out.push_str(item.1);
        out.push('\n');
    }
    let _ = writeln!(out, "</{element}>");
}

fn anchor(page: &Page<'_>, edge: &Edge, place: usize, out: &mut String) {
    let written = link::written(page, edge, place as u64);
    let rel = if edge.nofollow { " rel=\"nofollow\"" } else { "" };
    let _ = write!(out, "<a href=\"{}\"{rel}>{}</a>", escaped(&written.href), escaped(&written.text));
}

/// The page's own part: heading, address, text with links, photos.
fn main(page: &Page<'_>, links: &[Edge], layout: &Layout, size: usize, out: &mut String) {
    let (tongue, mut dice) = (page.tongue(), page.dice("text"));
    let (element, class) = layout.main;
    let _ = writeln!(out, "<{element} class=\"{class}\">\n<h1>{}</h1>", escaped(&page.title()));
    if matches!(page.role, Role::Article | Role::Story | Role::Column) {
        let published = iso_time(1_262_304_000 + dice.below(500_000_000) as i64);
        let _ = writeln!(
            out,
            "<p class=\"byline\">{} {} {} <time datetime=\"{published}\">{}</time></p>",
            tongue.label(Label::By),
            name(&mut dice),
            name(&mut dice),
            &published[..10]
        );
    }
    structured::address(page, out);
    let mut body: Vec<(usize, &Edge)> =
        links.iter().enumerate().filter(|(_, edge)| edge.block == Block::Body).collect();
    body.reverse();
    let mut photos = pictures::photos(page);
    photos.reverse();
    let clips = pictures::clips(page);
    // What comes after the text: related links, footer.
    let end = (size * 9 / 10).saturating_sub(2_500);
    let place = (!page.plain).then(|| page.town().name);
    let text_room = end.saturating_sub(out.len());
    let steps = (body.len() + photos.len()).max(1);
    let mut paragraphs = 0;
    while out.len() < end || !body.is_empty() || !photos.is_empty() {
        if paragraphs % 4 == 3 {
            let _ = writeln!(out, "<h2>{}</h2>", escaped(&tongue.title(&mut dice, page.spoken[1])));
        }
        paragraphs += 1;
        out.push_str("<p>");
        for _ in 0..if out.len() < end { dice.between(2, 5) } else { 1 } {
            tongue.sentence(&mut dice, &page.spoken, place, out);
        }
        for _ in 0..links_due(&body, text_room, steps, end.saturating_sub(out.len())) {
            if let Some((place, edge)) = body.pop() {
                anchor(page, edge, place, out);
                out.push(' ');
            }
        }
        if let Some(Aside::Passing(topic)) = page.aside
            && paragraphs == 2
        {
            let _ = write!(out, "{} (<b>{}</b>)", tongue.phrase(&mut dice), tongue.noun(topic));
        }
        out.push_str("</p>\n");
        if let Some(photo) = photos.pop() {
            out.push_str(&photo);
        }
    }
    if matches!(page.aside, Some(Aside::Listed(_))) {
        list(page, links, Block::Listed, ("ul", "listed"), out);
    }
    if !clips.is_empty() {
        let _ = writeln!(out, "<h2>{}</h2>\n{clips}", tongue.label(Label::Photos));
    }
    let _ = writeln!(out, "</{element}>");
}

/// How many links the next paragraph takes, so that they are spread over the text.
fn links_due(left: &[(usize, &Edge)], room: usize, steps: usize, remaining: usize) -> usize {
    let expected = steps * remaining / room.max(1);
    left.len().saturating_sub(expected).clamp(1, 4)
}
