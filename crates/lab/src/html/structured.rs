//! Where a page is about: the address for people, and the forms made for programs.

use std::fmt::Write;

use crate::html::escaped;
use crate::media::picture::{Size, picture};
use crate::page::{Page, Role};
use crate::tongue::Label;
use crate::town::Address;

/// How a page with an address tells it to programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    JsonLd,
    Microdata,
    Metas,
}

fn form(page: &Page<'_>) -> Form {
    match page.dice("structured").unit() {
        u if u < 0.25 => Form::JsonLd,
        u if u < 0.37 => Form::Microdata,
        u if u < 0.45 => Form::Metas,
        _ => Form::Text,
    }
}

/// What stands in the head.
pub(crate) fn head(page: &Page<'_>, out: &mut String) {
    if let Some(photo) = picture(page, 0).filter(|_| page.dice("og").chance(0.4)) {
        let _ = writeln!(out, "<meta property=\"og:image\" content=\"{}\">", escaped(&photo.url(page, 0, Size::Full)));
        let _ = writeln!(out, "<meta property=\"og:title\" content=\"{}\">", escaped(&page.title()));
    }
    let Some(address) = page.address() else { return };
    match form(page) {
        Form::JsonLd => {
            let document = serde_json::json!({
                "@context": "https://schema.org",
                "@type": "Place",
                "name": page.title(),
                "address": {
                    "@type": "PostalAddress",
                    "streetAddress": street_line(&address),
                    "postalCode": address.postcode,
                    "addressLocality": address.city,
                    "addressCountry": address.country,
                },
                "geo": { "@type": "GeoCoordinates", "latitude": address.lat, "longitude": address.lon },
            });
            let _ = writeln!(out, "<script type=\"application/ld+json\">{document}</script>");
        }
        Form::Metas => {
            let _ = writeln!(out, "<meta name=\"geo.position\" content=\"{};{}\">", address.lat, address.lon);
            let _ = writeln!(out, "<meta name=\"ICBM\" content=\"{}, {}\">", address.lat, address.lon);
            let _ = writeln!(out, "<meta name=\"geo.placename\" content=\"{}\">", address.city);
        }
        Form::Text | Form::Microdata => {}
    }
}

fn street_line(address: &Address) -> String {
    if address.line.starts_with(&address.number) {
        format!("{} {}", address.number, address.street)
    } else {
        format!("{} {}", address.street, address.number)
    }
}

/// The address on the page itself, and a form where the page has one.
pub(crate) fn address(page: &Page<'_>, out: &mut String) {
    let tongue = page.tongue();
    if let Some(address) = page.address() {
        let (label, hours) = (tongue.label(Label::Address), tongue.label(Label::Hours));
        if form(page) == Form::Microdata {
            let _ = writeln!(
                out,
                "<div itemscope itemtype=\"https://schema.org/Place\"><h2>{label}</h2>\
                 <div itemprop=\"address\" itemscope itemtype=\"https://schema.org/PostalAddress\">\
                 <span itemprop=\"streetAddress\">{}</span>, <span itemprop=\"postalCode\">{}</span> \
                 <span itemprop=\"addressLocality\">{}</span></div>\
                 <div itemprop=\"geo\" itemscope itemtype=\"https://schema.org/GeoCoordinates\">\
                 <meta itemprop=\"latitude\" content=\"{}\"><meta itemprop=\"longitude\" content=\"{}\"></div></div>",
                street_line(&address),
                address.postcode,
                address.city,
                address.lat,
                address.lon
            );
        }
        let _ = writeln!(out, "<h2>{label}</h2>\n<address>{}</address>", escaped(&address.line));
        let _ = writeln!(out, "<p>{hours}: 9.00–17.30</p>");
    }
    match page.role {
        Role::Contact | Role::Login => {
            let _ = writeln!(
                out,
                "<form method=\"post\" action=\"{}\"><input name=\"name\"><textarea name=\"text\"></textarea>\
                 <button>OK</button></form>",
                page.path()
            );
        }
        Role::Home => {
            let search = tongue.label(Label::Search);
            let _ = writeln!(out, "<form action=\"/search\"><input name=\"q\" placeholder=\"{search}\"></form>");
        }
        _ => {}
    }
}
