//! Made extracts of OpenStreetMap and dumps of GeoNames.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

pub struct MadeNode {
    pub id: i64,
    pub lat: f64,
    pub lon: f64,
    pub tags: Vec<(String, String)>,
}

pub struct MadeWay {
    pub tags: Vec<(String, String)>,
    pub nodes: Vec<i64>,
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn bytes_field(number: u64, bytes: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(bytes.len() as u64, out);
    out.extend(bytes);
}

fn blob(kind: &str, data: &[u8], out: &mut impl Write) -> std::io::Result<()> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(data)?;
    let mut blob = Vec::new();
    varint(2 << 3, &mut blob);
    varint(data.len() as u64, &mut blob);
    bytes_field(3, &zlib.finish()?, &mut blob);
    let mut header = Vec::new();
    bytes_field(1, kind.as_bytes(), &mut header);
    varint(3 << 3, &mut header);
    varint(blob.len() as u64, &mut header);
    out.write_all(&(header.len() as u32).to_be_bytes())?;
    out.write_all(&header)?;
    out.write_all(&blob)
}

#[derive(Default)]
struct Strings(Vec<String>, std::collections::HashMap<String, u64>);

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        if self.0.is_empty() {
            self.0.push(String::new());
        }
        if let Some(known) = self.1.get(text) {
            return *known;
        }
        self.0.push(text.to_owned());
        self.1.insert(text.to_owned(), self.0.len() as u64 - 1);
        self.0.len() as u64 - 1
    }

    fn block(&self, group: &[u8]) -> Vec<u8> {
        let (mut table, mut block) = (Vec::new(), Vec::new());
        self.0.iter().for_each(|string| bytes_field(1, string.as_bytes(), &mut table));
        bytes_field(1, &table, &mut block);
        bytes_field(2, group, &mut block);
        block
    }
}

pub fn header(out: &mut impl Write) -> std::io::Result<()> {
    blob("OSMHeader", b"", out)
}

pub fn nodes(nodes: &[MadeNode], out: &mut impl Write) -> std::io::Result<()> {
    let (mut strings, mut dense) = (Strings::default(), Vec::new());
    let (mut ids, mut lats, mut lons, mut tags) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut last = (0, 0, 0);
    strings.number("");
    for node in nodes {
        let now = (node.id, (node.lat * 1e7).round() as i64, (node.lon * 1e7).round() as i64);
        varint(zigzag(now.0 - last.0), &mut ids);
        varint(zigzag(now.1 - last.1), &mut lats);
        varint(zigzag(now.2 - last.2), &mut lons);
        last = now;
        for (key, value) in &node.tags {
            varint(strings.number(key), &mut tags);
            varint(strings.number(value), &mut tags);
        }
        varint(0, &mut tags);
    }
    for (number, bytes) in [(1, ids), (8, lats), (9, lons), (10, tags)] {
        bytes_field(number, &bytes, &mut dense);
    }
    let mut group = Vec::new();
    bytes_field(2, &dense, &mut group);
    blob("OSMData", &strings.block(&group), out)
}

pub fn ways(ways: &[MadeWay], out: &mut impl Write) -> std::io::Result<()> {
    let (mut strings, mut group) = (Strings::default(), Vec::new());
    strings.number("");
    for made in ways {
        let (mut keys, mut values, mut refs, mut way, mut last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), 0);
        for (key, value) in &made.tags {
            varint(strings.number(key), &mut keys);
            varint(strings.number(value), &mut values);
        }
        for node in &made.nodes {
            varint(zigzag(node - last), &mut refs);
            last = *node;
        }
        for (number, bytes) in [(2, keys), (3, values), (8, refs)] {
            bytes_field(number, &bytes, &mut way);
        }
        bytes_field(3, &way, &mut group);
    }
    blob("OSMData", &strings.block(&group), out)
}

pub fn tags(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
