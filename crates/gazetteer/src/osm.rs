//! OpenStreetMap: streets, houses, postcodes and named places of an extract.
//!
//! A file is read twice. First the ways: a street or house names the nodes it goes by, and what is wanted
//! of them is sorted by their numbers. Then the nodes, whose numbers rise, beside what is wanted.

use std::path::Path;

use geo::finer::{Areas, Numbers};
use geo::layout::feature_number;

use crate::GazetteerError;
use crate::import::Progress;
use crate::pbf::{Blocks, Field, Fields, signed, varint};
use crate::sort::{Entry, Sorted, Sorter};
use crate::write::{NewPlace, Writer};

/// The first number of places of our own: those of OpenStreetMap have none at GeoNames.
const OWN: u32 = 1 << 31;
/// Bytes of a name or number, at most.
const TEXT: usize = 200;

/// What is said of a node or way, as far as it matters here.
#[derive(Default)]
struct Tags<'b> {
    name: Option<&'b str>,
    highway: bool,
    place: Option<&'b str>,
    people: u64,
    street: Option<&'b str>,
    number: Option<&'b str>,
    postcode: Option<&'b str>,
}

impl<'b> Tags<'b> {
    fn add(&mut self, key: &[u8], value: &'b [u8]) {
        if value.len() > TEXT {
            return;
        }
        let Ok(text) = std::str::from_utf8(value) else { return };
        match key {
            b"name" => self.name = Some(text),
            b"highway" => self.highway = true,
            b"place" => self.place = Some(text),
            b"population" => self.people = text.parse().unwrap_or(0),
            b"addr:street" => self.street = Some(text),
            b"addr:housenumber" => self.number = Some(text),
            b"addr:postcode" => self.postcode = Some(text),
            _ => {}
        }
    }

    fn matters(&self) -> bool {
        self.highway && self.name.is_some() || self.street.is_some() && self.number.is_some() || self.is_place()
    }

    fn is_place(&self) -> bool {
        self.name.is_some() && self.place.is_some_and(|place| feature(place).is_some())
    }

    /// As bytes, for sorting.
    fn pack(&self) -> Vec<u8> {
        let people = self.people.to_string();
        let highway = if self.highway { "y" } else { "" };
        let texts =
            [self.name, Some(highway), self.place, Some(people.as_str()), self.street, self.number, self.postcode];
        texts.map(Option::unwrap_or_default).join("\0").into_bytes()
    }

    fn unpack(bytes: &'b [u8]) -> Option<Self> {
        let mut texts =
            std::str::from_utf8(bytes).ok()?.split('\0').map(|text| Some(text).filter(|text| !text.is_empty()));
        let mut next = || texts.next().flatten();
        Some(Self {
            name: next(),
            highway: next().is_some(),
            place: next(),
            people: next().and_then(|people| people.parse().ok()).unwrap_or(0),
            street: next(),
            number: next(),
            postcode: next(),
        })
    }
}

/// What GeoNames would call a kind of place, and how many people live in one where that is not said.
fn feature(place: &str) -> Option<(&'static str, u64)> {
    Some(match place {
        "city" => ("PPL", 100_000),
        "town" => ("PPL", 10_000),
        "village" => ("PPL", 1_000),
        "hamlet" => ("PPL", 100),
        "isolated_dwelling" => ("PPL", 10),
        "borough" => ("PPLX", 20_000),
        "suburb" => ("PPLX", 5_000),
        "quarter" | "neighbourhood" => ("PPLX", 1_000),
        _ => return None,
    })
}

/// Reads an extract.
pub(crate) fn read(
    path: &Path,
    folder: &Path,
    areas: &Areas,
    writer: &mut Writer,
    progress: &mut Progress<'_>,
) -> Result<(), GazetteerError> {
    let failed = |error| GazetteerError::file(path)(error);
    let mut wanted = Sorter::new(folder, "wanted");
    let mut blocks = Blocks::open(path)?;
    let mut before = 0;
    while let Some(block) = blocks.next()? {
        ways(&block, |node, tags| wanted.push(&node.to_be_bytes(), tags))
            .ok_or_else(|| blocks.wrong("has a damaged block"))?
            .map_err(failed)?;
        progress.bytes(path, blocks.read - before);
        before = blocks.read;
    }
    let mut join = Join { wanted: wanted.sorted().map_err(failed)?, head: None, last: i64::MIN };
    join.head = join.wanted.next().map_err(failed)?;
    let mut blocks = Blocks::open(path)?;
    let mut before = 0;
    let mut places = Places { writer, areas, own: OWN };
    while let Some(block) = blocks.next()? {
        nodes(&block, |node| join.node(node, &mut places))
            .ok_or_else(|| blocks.wrong("has a damaged block"))?
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidData => {
                    blocks.wrong("has nodes that are not in the order of their numbers; sort it with `osmium sort`")
                }
                _ => failed(error),
            })?;
        progress.bytes(path, blocks.read - before);
        before = blocks.read;
    }
    Ok(())
}

/// A node of an extract.
struct Node<'b> {
    id: i64,
    lat: f64,
    lon: f64,
    tags: Tags<'b>,
}

/// What is wanted of nodes, beside them.
struct Join {
    wanted: Sorted,
    head: Option<Entry>,
    last: i64,
}

impl Join {
    fn node(&mut self, node: Node<'_>, places: &mut Places<'_>) -> std::io::Result<()> {
        if node.id <= self.last {
            return Err(std::io::ErrorKind::InvalidData.into());
        }
        self.last = node.id;
        let key = node.id.to_be_bytes();
        while let Some((wanted, tags)) = self.head.take_if(|(wanted, _)| wanted.as_slice() <= key.as_slice()) {
            if wanted == key
                && let Some(tags) = Tags::unpack(&tags)
            {
                places.add(&tags, node.lat, node.lon)?;
            }
            self.head = self.wanted.next()?;
        }
        if node.tags.matters() { places.add(&node.tags, node.lat, node.lon) } else { Ok(()) }
    }
}

struct Places<'w> {
    writer: &'w mut Writer,
    areas: &'w Areas,
    own: u32,
}

impl Places<'_> {
    fn add(&mut self, tags: &Tags<'_>, lat: f64, lon: f64) -> std::io::Result<()> {
        let Some(at) = facts::LatLon::new(lat, lon) else { return Ok(()) };
        let (lat, lon) = (at.lat(), at.lon());
        if let (Some(street), Some(number)) = (tags.street, tags.number) {
            self.writer.house(street, number, tags.postcode, lat, lon)?;
        }
        if let (Some(name), true) = (tags.name, tags.highway) {
            self.writer.street(name, lat, lon)?;
        }
        let Some((name, (code, usual))) = tags.name.zip(tags.place.and_then(feature)) else { return Ok(()) };
        // What the gazetteer has near there is not added again.
        let known = geo::Gazetteer::embedded().named(name).iter().any(|place| geo::kilometres(place.at(), at) < 10.0);
        if known {
            return Ok(());
        }
        let numbers =
            self.areas.at(lat, lon).unwrap_or(Numbers { country: u8::MAX, admin1: u16::MAX, admin2: u16::MAX });
        self.own = self.own.wrapping_add(1) | OWN;
        let (id, feature) = (self.own, feature_number(code));
        let people = if tags.people > 0 { tags.people } else { usual };
        self.writer.place(&NewPlace { id, name, lat, lon, people, feature, numbers })?;
        Ok(())
    }
}

/// The strings and groups of a block.
struct Block<'b> {
    strings: Vec<&'b [u8]>,
    groups: Vec<&'b [u8]>,
    granularity: i64,
    offset: (i64, i64),
}

impl<'b> Block<'b> {
    fn of(bytes: &'b [u8]) -> Option<Self> {
        let mut block = Self { strings: Vec::new(), groups: Vec::new(), granularity: 100, offset: (0, 0) };
        for field in Fields(bytes) {
            match field? {
                (1, Field::Bytes(table)) => {
                    for string in Fields(table) {
                        if let (1, Field::Bytes(string)) = string? {
                            block.strings.push(string);
                        }
                    }
                }
                (2, Field::Bytes(group)) => block.groups.push(group),
                (17, Field::Number(granularity)) => block.granularity = granularity as i64,
                (19, Field::Number(lat)) => block.offset.0 = lat as i64,
                (20, Field::Number(lon)) => block.offset.1 = lon as i64,
                _ => {}
            }
        }
        Some(block)
    }

    fn degrees(&self, lat: i64, lon: i64) -> (f64, f64) {
        let degrees = |offset: i64, value: i64| (offset as f64 + self.granularity as f64 * value as f64) * 1e-9;
        (degrees(self.offset.0, lat), degrees(self.offset.1, lon))
    }

    fn tags(&self, keys: &mut &[u8], values: &mut &[u8]) -> Option<Tags<'b>> {
        let mut tags = Tags::default();
        while !keys.is_empty() {
            let (key, value) = (varint(keys)?, varint(values)?);
            tags.add(self.string(key)?, self.string(value)?);
        }
        Some(tags)
    }

    fn string(&self, number: u64) -> Option<&'b [u8]> {
        self.strings.get(usize::try_from(number).ok()?).copied()
    }
}

/// Calls `each` with nodes that are wanted and what for, by the ways of a block.
fn ways(bytes: &[u8], mut each: impl FnMut(i64, &[u8]) -> std::io::Result<()>) -> Option<std::io::Result<()>> {
    let block = Block::of(bytes)?;
    for group in &block.groups {
        for field in Fields(group) {
            let (3, Field::Bytes(way)) = field? else { continue };
            let (mut keys, mut values, mut refs): (&[u8], &[u8], &[u8]) = (&[], &[], &[]);
            for field in Fields(way) {
                match field? {
                    (2, Field::Bytes(bytes)) => keys = bytes,
                    (3, Field::Bytes(bytes)) => values = bytes,
                    (8, Field::Bytes(bytes)) => refs = bytes,
                    _ => {}
                }
            }
            let tags = block.tags(&mut keys, &mut values)?;
            if !tags.matters() {
                continue;
            }
            let (mut nodes, mut id) = (Vec::new(), 0i64);
            while !refs.is_empty() {
                id = id.wrapping_add(signed(varint(&mut refs)?));
                nodes.push(id);
            }
            // A street where it begins, in the middle and where it ends; anything else where it begins.
            let mut at = if tags.highway && tags.number.is_none() {
                vec![0, nodes.len() / 2, nodes.len().saturating_sub(1)]
            } else {
                vec![0]
            };
            at.dedup();
            let packed = tags.pack();
            for node in at.into_iter().filter_map(|at| nodes.get(at)).filter(|node| **node >= 0) {
                if let Err(error) = each(*node, &packed) {
                    return Some(Err(error));
                }
            }
        }
    }
    Some(Ok(()))
}

/// Calls `each` with the nodes of a block.
fn nodes(bytes: &[u8], mut each: impl FnMut(Node<'_>) -> std::io::Result<()>) -> Option<std::io::Result<()>> {
    let block = Block::of(bytes)?;
    for group in &block.groups {
        for field in Fields(group) {
            let done = match field? {
                (1, Field::Bytes(node)) => single(&block, node, &mut each)?,
                (2, Field::Bytes(dense)) => many(&block, dense, &mut each)?,
                _ => continue,
            };
            if done.is_err() {
                return Some(done);
            }
        }
    }
    Some(Ok(()))
}

fn single(
    block: &Block<'_>,
    node: &[u8],
    each: &mut impl FnMut(Node<'_>) -> std::io::Result<()>,
) -> Option<std::io::Result<()>> {
    let (mut keys, mut values): (&[u8], &[u8]) = (&[], &[]);
    let (mut id, mut lat, mut lon) = (0, 0, 0);
    for field in Fields(node) {
        match field? {
            (1, Field::Number(number)) => id = signed(number),
            (2, Field::Bytes(bytes)) => keys = bytes,
            (3, Field::Bytes(bytes)) => values = bytes,
            (8, Field::Number(number)) => lat = signed(number),
            (9, Field::Number(number)) => lon = signed(number),
            _ => {}
        }
    }
    let tags = block.tags(&mut keys, &mut values)?;
    let (lat, lon) = block.degrees(lat, lon);
    Some(each(Node { id, lat, lon, tags }))
}

fn many(
    block: &Block<'_>,
    dense: &[u8],
    each: &mut impl FnMut(Node<'_>) -> std::io::Result<()>,
) -> Option<std::io::Result<()>> {
    let (mut ids, mut lats, mut lons, mut tagged): (&[u8], &[u8], &[u8], &[u8]) = (&[], &[], &[], &[]);
    for field in Fields(dense) {
        match field? {
            (1, Field::Bytes(bytes)) => ids = bytes,
            (8, Field::Bytes(bytes)) => lats = bytes,
            (9, Field::Bytes(bytes)) => lons = bytes,
            (10, Field::Bytes(bytes)) => tagged = bytes,
            _ => {}
        }
    }
    let (mut id, mut lat, mut lon) = (0i64, 0i64, 0i64);
    while !ids.is_empty() {
        id = id.wrapping_add(signed(varint(&mut ids)?));
        lat = lat.wrapping_add(signed(varint(&mut lats)?));
        lon = lon.wrapping_add(signed(varint(&mut lons)?));
        let mut tags = Tags::default();
        while !tagged.is_empty() {
            match varint(&mut tagged)? {
                0 => break,
                key => {
                    let value = varint(&mut tagged)?;
                    tags.add(block.string(key)?, block.string(value)?);
                }
            }
        }
        let (lat, lon) = block.degrees(lat, lon);
        if let Err(error) = each(Node { id, lat, lon, tags }) {
            return Some(Err(error));
        }
    }
    Some(Ok(()))
}
