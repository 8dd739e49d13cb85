//! XMP: what a person or a program wrote about a file, in RDF.
//!
//! Properties are read in both of their forms, as attributes of `rdf:Description` and as elements,
//! and only where they speak of the file itself: a place inside a nested structure is a place shown
//! or named, not where the file was made.

use quick_xml::NsReader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};

use crate::metadata::date::Taken;
use crate::metadata::exif::orientation;
use crate::metadata::location::{Location, LocationSource, WrongLocation, sign};
use crate::metadata::text::tidy;
use crate::metadata::{Block, MAX_KEYWORDS, Origin};

/// As much of a packet as is read.
pub(crate) const LIMIT: usize = 512 << 10;
/// Elements inside elements.
const MAX_DEPTH: usize = 32;
/// As many values as are kept, of all properties together.
const MAX_VALUES: usize = 500;
/// As much text of one value as is gathered.
const MAX_VALUE: usize = 8192;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const NAMESPACES: [(&str, &str); 10] = [
    ("http://ns.adobe.com/exif/1.0/", "exif"),
    ("http://cipa.jp/exif/1.0/", "exifEX"),
    ("http://ns.adobe.com/tiff/1.0/", "tiff"),
    ("http://ns.adobe.com/xap/1.0/", "xmp"),
    ("http://ns.adobe.com/xap/1.0/rights/", "xmpRights"),
    ("http://ns.adobe.com/photoshop/1.0/", "photoshop"),
    ("http://purl.org/dc/elements/1.1/", "dc"),
    ("http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/", "Iptc4xmpCore"),
    ("http://creativecommons.org/ns#", "cc"),
    ("http://web.resource.org/cc/", "cc"),
];

/// What a packet says; as much as can be read of one that is cut off or broken.
pub(crate) fn read(packet: &[u8]) -> Block {
    let packet = &packet[..packet.len().min(LIMIT)];
    // Properties of half a packet are right as far as they go.
    let text = match (packet, std::str::from_utf8(packet)) {
        ([0xfe, 0xff, ..] | [0, b'<', ..], _) => wide(packet, u16::from_be_bytes),
        ([0xff, 0xfe, ..] | [b'<', 0, ..], _) => wide(packet, u16::from_le_bytes),
        (_, Ok(text)) => text.to_owned(),
        (_, Err(_)) => String::from_utf8_lossy(packet).into_owned(),
    };
    Packet::parse(&text).block()
}

fn wide(packet: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = packet.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// The properties of a packet that are of use, as `prefix:name` and value, lists one by one.
#[derive(Default)]
struct Packet {
    values: Vec<(String, String)>,
    /// Whether it was read to the end of its description.
    whole: bool,
}

/// An open element.
struct Open {
    /// The property it is, where it is one of the file itself.
    property: Option<String>,
    /// Its text so far.
    text: String,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Around it all: `x:xmpmeta`.
    Wrapper,
    /// `rdf:RDF`.
    Descriptions,
    /// `rdf:Description` that speaks of the file.
    Description,
    Property,
    /// A list or item of a property.
    List,
    /// Anything else, with all that is in it.
    Foreign,
}

impl Packet {
    fn parse(text: &str) -> Self {
        let mut packet = Self::default();
        let mut reader = NsReader::from_str(text.trim_start_matches(['\u{feff}', '\0']));
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        let mut open: Vec<Open> = Vec::new();
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(start) => {
                    if open.len() >= MAX_DEPTH {
                        break;
                    }
                    let element = packet.open(&reader, &start, open.last());
                    open.push(element);
                }
                Event::Empty(start) => {
                    packet.open(&reader, &start, open.last());
                }
                Event::Text(text) => append(&mut open, &text),
                Event::CData(text) => append(&mut open, &text),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => append(&mut open, character.encode_utf8(&mut [0; 4])),
                    // Entities of a document's own are left out: expanding them is how a small
                    // packet becomes a large one.
                    _ => append(&mut open, resolve_predefined_entity(&reference).unwrap_or_default()),
                },
                Event::End(_) => {
                    let Some(closed) = open.pop() else { continue };
                    packet.whole |= closed.role == Role::Descriptions;
                    if let Some(property) = closed.property {
                        packet.add(&property, &closed.text);
                    }
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
            if packet.values.len() >= MAX_VALUES {
                break;
            }
        }
        packet
    }

    /// What an element is, given the one around it; takes the properties among its attributes.
    fn open(&mut self, reader: &NsReader<&[u8]>, start: &BytesStart<'_>, around: Option<&Open>) -> Open {
        let (name, is_rdf) = canonical(reader, start.name(), Kind::Element);
        let local = start.local_name();
        let local = local.as_ref();
        let (role, property) = match around.map_or(Role::Wrapper, |around| around.role) {
            Role::Wrapper if is_rdf && local == "RDF" => (Role::Descriptions, None),
            Role::Wrapper => (Role::Wrapper, None),
            Role::Descriptions if is_rdf && local == "Description" => (Role::Description, None),
            Role::Descriptions => (Role::Foreign, None),
            Role::Description => (Role::Property, name),
            Role::Property | Role::List if is_rdf && matches!(local, "Alt" | "Bag" | "Seq" | "li") => {
                (Role::List, around.and_then(|around| around.property.clone()))
            }
            Role::Property | Role::List | Role::Foreign => (Role::Foreign, None),
        };
        if role == Role::Description {
            for attribute in start.attributes().with_checks(false).flatten().take(MAX_VALUES) {
                if let (Some(name), _) = canonical(reader, attribute.key, Kind::Attribute) {
                    self.add(&name, &unescape(&attribute.value).unwrap_or_default());
                }
            }
        }
        if let (Role::Property, Some(property)) = (role, &property) {
            // `<cc:license rdf:resource="…"/>`
            let resource = start.attributes().with_checks(false).flatten().take(16).find(|attribute| {
                matches!(canonical(reader, attribute.key, Kind::Attribute), (_, true))
                    && attribute.key.local_name().as_ref() == "resource"
            });
            if let Some(resource) = resource {
                self.add(property, &unescape(&resource.value).unwrap_or_default());
            }
        }
        Open { property, text: String::new(), role }
    }

    fn add(&mut self, property: &str, value: &str) {
        if let Some(value) = tidy(value) {
            self.values.push((property.to_owned(), value));
        }
    }

    fn first(&self, property: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| name == property).map(|(_, value)| value.as_str())
    }

    fn block(&self) -> Block {
        let text = |property: &str| self.first(property).map(str::to_owned);
        let date = |property: &str| self.first(property).and_then(Taken::parse);
        let mut block = Block::new(Origin::Xmp);
        block.orientation = orientation(self.first("tiff:Orientation").and_then(|number| number.parse().ok()));
        block.taken = ["exif:DateTimeOriginal", "photoshop:DateCreated", "exif:DateTimeDigitized", "xmp:CreateDate"]
            .into_iter()
            .find_map(date);
        block.make = text("tiff:Make");
        block.model = text("tiff:Model");
        // A packet that is cut off or broken may have lost the other half of a place.
        block.location = self.location().filter(|_| self.whole);
        block.names.sublocation = text("Iptc4xmpCore:Location");
        block.names.city = text("photoshop:City");
        block.names.state = text("photoshop:State");
        block.names.country = text("photoshop:Country");
        block.title = text("dc:title").or_else(|| text("photoshop:Headline"));
        block.description = text("dc:description");
        let subjects = self.values.iter().filter(|(name, _)| name == "dc:subject");
        block.keywords = subjects.take(MAX_KEYWORDS).map(|(_, word)| word.clone()).collect();
        block.licence = ["cc:license", "xmpRights:WebStatement", "xmpRights:UsageTerms"].into_iter().find_map(text);
        block.copyright = text("dc:rights").or_else(|| text("tiff:Copyright"));
        block.author =
            ["dc:creator", "tiff:Artist", "cc:attributionName", "photoshop:Credit"].into_iter().find_map(text);
        block
    }

    fn location(&self) -> Option<Result<Location, WrongLocation>> {
        let (lat, lon) = (self.first("exif:GPSLatitude"), self.first("exif:GPSLongitude"));
        if lat.is_none() && lon.is_none() {
            return None;
        }
        let (Some(lat), Some(lon)) = (lat, lon) else { return Some(Err(WrongLocation::Incomplete)) };
        let lat = coordinate(lat, self.first("exif:GPSLatitudeRef"), 'N', 'S');
        let lon = coordinate(lon, self.first("exif:GPSLongitudeRef"), 'E', 'W');
        Some(lat.and_then(|lat| Location::new(lat, lon?, LocationSource::Xmp)).map(|location| {
            Location {
                altitude: self.altitude(),
                direction: self.number("exif:GPSImgDirection").filter(|degrees| (0.0..=360.0).contains(degrees)),
                date: self
                    .first("exif:GPSTimeStamp")
                    .and_then(Taken::parse)
                    .filter(|fix| fix.offset.is_some())
                    .map(Taken::timestamp),
                ..location
            }
        }))
    }

    fn altitude(&self) -> Option<f64> {
        let metres = self.number("exif:GPSAltitude")?;
        Some(if self.first("exif:GPSAltitudeRef") == Some("1") { -metres } else { metres })
    }

    /// A number, or a fraction such as `340/1`.
    fn number(&self, property: &str) -> Option<f64> {
        let text = self.first(property)?;
        let number: f64 = match text.split_once('/') {
            Some((above, below)) => above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?,
            None => text.parse().ok()?,
        };
        number.is_finite().then_some(number)
    }
}

fn append(open: &mut [Open], text: &str) {
    if let Some(element) = open.last_mut()
        && element.text.len() + text.len() <= MAX_VALUE
    {
        element.text.push_str(text);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Element,
    Attribute,
}

/// The name under the prefix this file knows its namespace by, and whether it belongs to RDF.
fn canonical(reader: &NsReader<&[u8]>, name: QName<'_>, kind: Kind) -> (Option<String>, bool) {
    let (namespace, local) = match kind {
        Kind::Element => reader.resolver().resolve_element(name),
        Kind::Attribute => reader.resolver().resolve_attribute(name),
    };
    let ResolveResult::Bound(namespace) = namespace else { return (None, false) };
    let uri = namespace.into_inner();
    let prefix = NAMESPACES.iter().find(|(known, _)| *known == uri).map(|(_, prefix)| prefix);
    (prefix.map(|prefix| format!("{prefix}:{}", local.as_ref())), uri == RDF)
}

/// `60,11.8123N`, `60,11,49N`, or decimal degrees with their letter in a property of its own or,
/// for want of one, their sign.
fn coordinate(text: &str, reference: Option<&str>, positive: char, negative: char) -> Result<f64, WrongLocation> {
    let text = text.trim();
    let letter = text.char_indices().last().filter(|(_, last)| last.is_ascii_alphabetic());
    let (numbers, letter) = match letter {
        Some((at, _)) => (&text[..at], Some(&text[at..])),
        None => (text, reference),
    };
    let mut parts = numbers.split(',').map(|part| part.trim().parse::<f64>().ok().filter(|part| part.is_finite()));
    let (degrees, minutes, seconds) = (parts.next().flatten(), parts.next(), parts.next());
    let extra = parts.next().is_some();
    let (Some(degrees), Some(minutes), Some(seconds), false) =
        (degrees, minutes.unwrap_or(Some(0.0)), seconds.unwrap_or(Some(0.0)), extra)
    else {
        return Err(WrongLocation::NotANumber);
    };
    let amount = degrees.abs() + minutes / 60.0 + seconds / 3600.0;
    if minutes < 0.0 || seconds < 0.0 {
        return Err(WrongLocation::OutOfRange);
    }
    match letter.map(|letter| sign(letter, positive, negative)) {
        // A sign may say again what the letter says, but not the opposite.
        Some(Some(sign)) if degrees < 0.0 && sign > 0.0 => Err(WrongLocation::OutOfRange),
        Some(Some(sign)) => Ok(sign * amount),
        // A decimal fraction carries its own sign; plain zeros are judged with the other coordinate.
        None if minutes == 0.0 && numbers.contains('.') && !numbers.contains(',') => Ok(degrees),
        None if amount == 0.0 => Ok(0.0),
        _ => Err(WrongLocation::MissingReference),
    }
}
