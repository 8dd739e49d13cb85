//! Small files of every kind, written from nothing.

/// A value of a TIFF directory.
pub enum Value {
    Text(String),
    Short(u16),
    Long(u32),
    Byte(u8),
    Bytes(Vec<u8>),
    Fractions(Vec<(u32, u32)>),
}

pub fn text(words: &str) -> Value {
    Value::Text(words.to_owned())
}

/// Where the made files were taken, unless a test says otherwise.
pub const HELSINKI: (f64, f64) = (60.1699, 24.9384);

/// Degrees, minutes and seconds as cameras write them.
pub fn degrees(amount: f64) -> Vec<(u32, u32)> {
    let amount = amount.abs();
    let minutes = amount.fract() * 60.0;
    let seconds = (minutes.fract() * 60.0 * 10_000.0).round() as u32;
    vec![(amount as u32, 1), (minutes as u32, 1), (seconds, 10_000)]
}

/// The entries of a GPS directory.
pub fn gps((lat, lon): (f64, f64)) -> Vec<(u16, Value)> {
    vec![
        (1, text(if lat < 0.0 { "S" } else { "N" })),
        (2, Value::Fractions(degrees(lat))),
        (3, text(if lon < 0.0 { "W" } else { "E" })),
        (4, Value::Fractions(degrees(lon))),
        (5, Value::Byte(1)),
        (6, Value::Fractions(vec![(125, 10)])),
        (7, Value::Fractions(vec![(14, 1), (27, 1), (724, 100)])),
        (17, Value::Fractions(vec![(2061, 10)])),
        (29, text("2008:10:23")),
    ]
}

/// A TIFF structure: a first directory with a camera and this much more, a date, and a GPS directory.
pub struct Exif {
    pub little: bool,
    /// Bytes of a picture between the header and the first directory.
    pub picture: usize,
    pub first: Vec<(u16, Value)>,
    pub gps: Vec<(u16, Value)>,
}

impl Exif {
    pub fn at(point: (f64, f64)) -> Self {
        Self::with_gps(gps(point))
    }

    pub fn with_gps(gps: Vec<(u16, Value)>) -> Self {
        let first = vec![
            (0x010f, text("Bower")),
            (0x0110, text("Bird 1  ")),
            (0x0112, Value::Short(6)),
            (0x013b, text("A. Person")),
            (0x8298, text("CC BY-SA 4.0")),
        ];
        Self { little: true, picture: 0, first, gps }
    }

    pub fn bytes(self) -> Vec<u8> {
        let little = self.little;
        let first_at = 8 + self.picture as u32;
        let (start, place) =
            if little { (b"II*\0", first_at.to_le_bytes()) } else { (b"MM\0*", first_at.to_be_bytes()) };
        let mut bytes = [&start[..], &place, &vec![0x55; self.picture]].concat();
        let camera = vec![(0x9003, text("2018:04:18 15:40:26")), (0x9011, text("+03:00"))];
        let mut first = self.first;
        first.push((0x8769, Value::Long(0)));
        first.push((0x8825, Value::Long(0)));
        first.sort_by_key(|(tag, _)| *tag);
        // Where the directories lie is known when their sizes are: written twice, the second time right.
        let camera_at = first_at + directory(&first, first_at, little).len() as u32;
        let gps_at = camera_at + directory(&camera, camera_at, little).len() as u32;
        for (tag, value) in &mut first {
            match tag {
                0x8769 => *value = Value::Long(camera_at),
                0x8825 => *value = Value::Long(gps_at),
                _ => {}
            }
        }
        bytes.extend(directory(&first, first_at, little));
        bytes.extend(directory(&camera, camera_at, little));
        bytes.extend(directory(&self.gps, gps_at, little));
        bytes
    }
}

fn directory(entries: &[(u16, Value)], at: u32, little: bool) -> Vec<u8> {
    let u16 = |n: u16| if little { n.to_le_bytes() } else { n.to_be_bytes() };
    let u32 = |n: u32| if little { n.to_le_bytes() } else { n.to_be_bytes() };
    let (mut table, mut values) = (u16(entries.len() as u16).to_vec(), Vec::new());
    let values_at = at + 2 + 12 * entries.len() as u32 + 4;
    for (tag, value) in entries {
        let (kind, count, content) = match value {
            Value::Text(words) => (2, words.len() + 1, [words.as_bytes(), b"\0"].concat()),
            Value::Short(number) => (3, 1, u16(*number).to_vec()),
            Value::Long(number) => (4, 1, u32(*number).to_vec()),
            Value::Byte(number) => (1, 1, vec![*number]),
            Value::Bytes(bytes) => (7, bytes.len(), bytes.clone()),
            Value::Fractions(parts) => {
                (5, parts.len(), parts.iter().flat_map(|(above, below)| [u32(*above), u32(*below)].concat()).collect())
            }
        };
        table.extend(u16(*tag));
        table.extend(u16(kind));
        table.extend(u32(count as u32));
        if content.len() <= 4 {
            table.extend(&content);
            table.resize(table.len() + 4 - content.len(), 0);
        } else {
            table.extend(u32(values_at + values.len() as u32));
            values.extend(content);
        }
    }
    table.extend([0; 4]);
    [table, values].concat()
}

/// What a file carries beside its picture.
#[derive(Clone, Default)]
pub struct Carried {
    pub exif: Vec<u8>,
    pub xmp: Vec<u8>,
    pub iptc: Vec<u8>,
    /// Length of the picture itself.
    pub picture: usize,
}

impl Carried {
    pub fn exif(bytes: Vec<u8>) -> Self {
        Self { exif: bytes, ..Self::default() }
    }

    pub fn xmp(packet: &str) -> Self {
        Self { xmp: packet.as_bytes().to_vec(), ..Self::default() }
    }

    pub fn picture(self, length: usize) -> Self {
        Self { picture: length, ..self }
    }
}

/// Puts a picture together.
pub type Writer = fn(&Carried) -> Vec<u8>;

/// Every kind of picture that carries metadata.
pub const PICTURES: [(&str, Writer); 8] = [
    ("jpeg", jpeg),
    ("png", png),
    ("png, at the end", png_late),
    ("webp", webp),
    ("tiff", tiff),
    ("heic", heic),
    ("heic, at the end", heic_late),
    ("avif", avif),
];

/// All pictures are of this size, as stored.
pub const SIZE: (u32, u32) = (640, 480);

pub fn segment(marker: u8, mark: &[u8], content: &[u8]) -> Vec<u8> {
    let length = (mark.len() + content.len() + 2) as u16;
    [&[0xff, marker][..], &length.to_be_bytes(), mark, content].concat()
}

pub fn jpeg(carried: &Carried) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    bytes.extend(segment(0xe0, b"JFIF\0", &[1, 1, 0, 0, 1, 0, 1, 0, 0]));
    if !carried.exif.is_empty() {
        bytes.extend(segment(0xe1, b"Exif\0\0", &carried.exif));
    }
    if !carried.xmp.is_empty() {
        bytes.extend(segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0", &carried.xmp));
    }
    if !carried.iptc.is_empty() {
        let mut resource = b"8BIM\x04\x04\0\0".to_vec();
        resource.extend((carried.iptc.len() as u32).to_be_bytes());
        resource.extend(&carried.iptc);
        bytes.extend(segment(0xed, b"Photoshop 3.0\0", &resource));
    }
    bytes.extend(segment(0xc0, &[8, 1, 0xe0, 2, 0x80, 1], &[1, 0x11, 0]));
    bytes.extend(segment(0xda, &[1, 1, 0, 0, 63, 0], &[]));
    bytes.resize(bytes.len() + carried.picture, 0x55);
    bytes.extend([0xff, 0xd9]);
    bytes
}

pub fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let body = [kind, content].concat();
    let mut sum = u32::MAX;
    for byte in &body {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    [&(content.len() as u32).to_be_bytes()[..], &body, &(!sum).to_be_bytes()].concat()
}

fn png_chunks(carried: &Carried) -> Vec<u8> {
    let mut chunks = Vec::new();
    if !carried.exif.is_empty() {
        chunks.extend(chunk(b"eXIf", &carried.exif));
    }
    if !carried.xmp.is_empty() {
        chunks.extend(chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", &carried.xmp[..]].concat()));
    }
    chunks
}

fn png_around(before: Vec<u8>, picture: usize, after: Vec<u8>) -> Vec<u8> {
    let header = [&SIZE.0.to_be_bytes()[..], &SIZE.1.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend(chunk(b"IHDR", &header));
    bytes.extend(before);
    for piece in vec![0x55; picture.max(1)].chunks(8192) {
        bytes.extend(chunk(b"IDAT", piece));
    }
    bytes.extend(after);
    bytes.extend(chunk(b"IEND", &[]));
    bytes
}

pub fn png(carried: &Carried) -> Vec<u8> {
    png_around(png_chunks(carried), carried.picture, Vec::new())
}

pub fn png_late(carried: &Carried) -> Vec<u8> {
    png_around(Vec::new(), carried.picture, png_chunks(carried))
}

pub fn riff(kind: &[u8; 4], chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut body = kind.to_vec();
    for (name, content) in chunks {
        body.extend(*name);
        body.extend((content.len() as u32).to_le_bytes());
        body.extend(content);
        body.resize(body.len() + content.len() % 2, 0);
    }
    [&b"RIFF"[..], &(body.len() as u32).to_le_bytes(), &body].concat()
}

pub fn webp(carried: &Carried) -> Vec<u8> {
    let side = |pixels: u32| (pixels - 1).to_le_bytes()[..3].to_vec();
    let flags = if carried.exif.is_empty() { 0 } else { 8 } | if carried.xmp.is_empty() { 0 } else { 4 };
    let header = [vec![flags, 0, 0, 0], side(SIZE.0), side(SIZE.1)].concat();
    let mut chunks = vec![(b"VP8X", header), (b"VP8 ", vec![0x55; carried.picture.max(20)])];
    if !carried.exif.is_empty() {
        chunks.push((b"EXIF", carried.exif.clone()));
    }
    if !carried.xmp.is_empty() {
        chunks.push((b"XMP ", carried.xmp.clone()));
    }
    riff(b"WEBP", &chunks)
}

/// A TIFF file is an EXIF block with a size, here with the picture after it.
pub fn tiff(carried: &Carried) -> Vec<u8> {
    let mut bytes = carried.exif.clone();
    if bytes.is_empty() {
        let first = vec![(0x02bc, Value::Bytes(carried.xmp.clone()))];
        bytes = Exif {
            first: [tiff_size(), first].into_iter().flatten().collect(),
            gps: vec![],
            little: false,
            picture: 0,
        }
        .bytes();
    }
    bytes.resize(bytes.len() + carried.picture, 0x55);
    bytes
}

pub fn tiff_size() -> Vec<(u16, Value)> {
    vec![(0x0100, Value::Long(SIZE.0)), (0x0101, Value::Long(SIZE.1))]
}

pub fn unit(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

fn heif(brand: &[u8; 4], carried: &Carried, late: bool) -> Vec<u8> {
    let start = unit(b"ftyp", &[brand, &[0; 4][..], b"mif1", brand].concat());
    let exif = [&[0, 0, 0, 6][..], b"Exif\0\0", &carried.exif].concat();
    let items: [(&[u8], &[u8]); 2] = [(b"Exif\0", &exif), (b"mime\0application/rdf+xml\0", &carried.xmp)];
    let meta = |places: [u32; 2]| {
        let entries = items
            .iter()
            .enumerate()
            .map(|(nth, (kind, _))| unit(b"infe", &[&[2, 0, 0, 0, 0, nth as u8 + 2, 0, 0][..], kind].concat()));
        let iinf = unit(b"iinf", &[&[0, 0, 0, 0, 0, 2][..], &entries.collect::<Vec<_>>().concat()].concat());
        let mut iloc = vec![0, 0, 0, 0, 0x44, 0, 0, 2];
        for (nth, (_, content)) in items.iter().enumerate() {
            iloc.extend([0, nth as u8 + 2, 0, 0, 0, 1]);
            iloc.extend(places[nth].to_be_bytes());
            iloc.extend((content.len() as u32).to_be_bytes());
        }
        let size = unit(b"ispe", &[&[0; 4][..], &SIZE.0.to_be_bytes(), &SIZE.1.to_be_bytes()].concat());
        let thumbnail = unit(b"ispe", &[0, 0, 0, 0, 0, 0, 0, 160, 0, 0, 0, 120]);
        let turn = unit(b"irot", &[3]);
        let properties = unit(b"ipco", &[thumbnail, size, turn].concat());
        let whose = unit(b"ipma", &[0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 2, 0x83]);
        let iprp = unit(b"iprp", &[properties, whose].concat());
        let parts = [unit(b"pitm", &[0, 0, 0, 0, 0, 1]), iinf, unit(b"iloc", &iloc), iprp].concat();
        unit(b"meta", &[&[0; 4][..], &parts].concat())
    };
    let (before, after) = if late { (carried.picture, 0) } else { (0, carried.picture) };
    let first = (start.len() + meta([0, 0]).len() + 8 + before) as u32;
    let places = [first, first + exif.len() as u32];
    let data = [&vec![0x55; before][..], &exif, &carried.xmp, &vec![0x55; after]].concat();
    [start, meta(places), unit(b"mdat", &data)].concat()
}

pub fn heic(carried: &Carried) -> Vec<u8> {
    heif(b"heic", carried, false)
}

pub fn heic_late(carried: &Carried) -> Vec<u8> {
    heif(b"heic", carried, true)
}

pub fn avif(carried: &Carried) -> Vec<u8> {
    heif(b"avif", carried, false)
}

/// A film of 12.5 seconds, 1920 × 1080, turned by a quarter, with this user data.
pub fn film(extra: &[u8]) -> Vec<u8> {
    let mut mvhd = vec![0; 100];
    mvhd[4..8].copy_from_slice(&3_600_000_000u32.to_be_bytes());
    mvhd[12..16].copy_from_slice(&600u32.to_be_bytes());
    mvhd[16..20].copy_from_slice(&7500u32.to_be_bytes());
    let mut tkhd = vec![0; 84];
    for (at, number) in [(44, 1 << 16), (52, -1 << 16), (72, 1 << 30), (76, 1920 << 16), (80, 1080 << 16)] {
        tkhd[at..at + 4].copy_from_slice(&i32::to_be_bytes(number));
    }
    unit(b"moov", &[unit(b"mvhd", &mvhd), track(b"vide", &tkhd), extra.to_vec()].concat())
}

pub fn track(handler: &[u8; 4], tkhd: &[u8]) -> Vec<u8> {
    let hdlr = unit(b"hdlr", &[&[0; 8][..], handler, &[0; 12]].concat());
    unit(b"trak", &[unit(b"tkhd", tkhd), unit(b"mdia", &hdlr)].concat())
}

/// The film, before or after this much picture data.
pub fn mp4(moov: &[u8], data_before: usize, data_after: usize) -> Vec<u8> {
    let mut bytes = unit(b"ftyp", b"isom\0\0\x02\0isommp42");
    for (length, content) in [(data_before, moov), (data_after, &[])] {
        if length > 0 {
            bytes.extend(unit(b"mdat", &vec![0x55; length]));
        }
        bytes.extend(content);
    }
    bytes
}

/// An element of Matroska.
pub fn element(id: u32, content: &[u8]) -> Vec<u8> {
    let id: Vec<u8> = id.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
    let size = (content.len() as u64 | 1 << 56).to_be_bytes();
    [&id[..], &size, content].concat()
}

/// A packet around these properties.
pub fn packet(properties: &str) -> String {
    format!(
        r#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
        xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
        xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:cc="http://creativecommons.org/ns#"
        xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
        xmlns:p="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" {properties}</rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>"#
    )
}
