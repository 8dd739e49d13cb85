//! How the gazetteer lies in its file; the reader here and the writer in `xtask` share it.
//!
//! Everything is little-endian. A header of [`HEADER`] bytes (magic, version, number of sections,
//! length and checksum of the file), then a table of (offset, length) pairs, then the sections.
//! Three-byte integers keep 300,000 records small; nothing is aligned, nothing is compressed, so a
//! record is read where it lies.

/// First bytes of the file.
pub const MAGIC: [u8; 8] = *b"bowerGZ\0";
/// Changes whenever a section's layout does.
pub const VERSION: u32 = 1;
/// Bytes before the table of sections: magic, version, sections, length (u32 each), checksum (u64).
pub const HEADER: usize = 8 + 4 + 4 + 4 + 8;

/// Sections, in the order they stand in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Section {
    /// What the file was made from, as text.
    About,
    /// Records of [`PLACE`] bytes: populated places by grid cell, largest first, then areas.
    Places,
    /// Names, each a length byte and UTF-8.
    Names,
    /// An fst from folded name to a value, see [`Value`].
    Keys,
    /// Lists of places that share a name: a count, then that many entries, all LEB128.
    Postings,
    /// Records of [`COUNTRY`] bytes.
    Countries,
    /// Records of [`ADMIN1`] bytes.
    Admin1,
    /// Records of [`ADMIN2`] bytes.
    Admin2,
    /// For each cell of the grid the first populated place in it (u24), and one more at the end.
    TownGrid,
    /// For each cell of the grid what lies in it, see [`Cell`].
    AreaGrid,
    /// For cells with borders: their reference area and runs of edges.
    Cells,
    /// Vertices of borders, latitude and longitude as i24.
    Vertices,
    /// For each arc its first vertex (u24), left and right area (u16 each), [`ARC`] bytes.
    Arcs,
    /// Records of [`AREA`] bytes: what polygons are about.
    Areas,
    /// An fst from folded word to [`Word`] bits.
    Words,
}

/// Number of sections.
pub const SECTIONS: usize = 15;

/// id u24, latitude i24, longitude i24, population u24, name u24, admin1 u16, admin2 u16, country u8, feature u8.
pub const PLACE: usize = 21;
/// ISO code (2), three-letter code (3), place u24, language (2), continent (2), telephone prefix u24.
pub const COUNTRY: usize = 15;
/// place u24, country u8, code (a name) u24.
pub const ADMIN1: usize = 7;
/// place u24, admin1 u16, code (a name) u24.
pub const ADMIN2: usize = 8;
/// first vertex u24, left area u16, right area u16.
pub const ARC: usize = 7;
/// place u24, admin1 u16, country u8.
pub const AREA: usize = 6;

/// "None" in fields of 8, 16 and 24 bits.
pub const NONE8: u8 = u8::MAX;
/// See [`NONE8`].
pub const NONE16: u16 = u16::MAX;
/// See [`NONE8`].
pub const NONE24: u32 = 0x00FF_FFFF;

/// Grid cells in a degree; a cell is half a degree wide and high.
pub const CELLS_PER_DEGREE: usize = 2;
/// Columns of the grid, from 180° W.
pub const COLUMNS: usize = 360 * CELLS_PER_DEGREE;
/// Rows of the grid, from 90° S.
pub const ROWS: usize = 180 * CELLS_PER_DEGREE;

/// Populations of eight million and more are kept in thousands (24 bits, the highest says so).
pub fn pack_population(population: u64) -> u32 {
    if population < 1 << 23 { population as u32 } else { (1 << 23) | ((population / 1024).min((1 << 23) - 1) as u32) }
}

/// The reverse of [`pack_population`].
pub fn unpack_population(packed: u32) -> u64 {
    if packed < 1 << 23 { packed.into() } else { u64::from(packed & ((1 << 23) - 1)) * 1024 }
}

/// Degrees to 24 bits: a step is about 1.2 m of latitude, 2.4 m of longitude at the equator.
pub fn pack_lat(degrees: f64) -> i32 {
    (degrees / 90.0 * 8_388_607.0).round() as i32
}

/// See [`pack_lat`].
pub fn pack_lon(degrees: f64) -> i32 {
    (degrees / 180.0 * 8_388_607.0).round() as i32
}

/// See [`pack_lat`].
pub fn unpack_lat(packed: i32) -> f64 {
    f64::from(packed) * (90.0 / 8_388_607.0)
}

/// See [`pack_lat`].
pub fn unpack_lon(packed: i32) -> f64 {
    f64::from(packed) * (180.0 / 8_388_607.0)
}

/// The cell a point lies in.
pub fn cell_of(lat: f64, lon: f64) -> (usize, usize) {
    let step = CELLS_PER_DEGREE as f64;
    let row = ((lat + 90.0) * step).floor().clamp(0.0, (ROWS - 1) as f64);
    let column = ((lon + 180.0) * step).floor().clamp(0.0, (COLUMNS - 1) as f64);
    (row as usize, column as usize)
}

/// The point of a cell whose area is stored; off the centre, where borders of round degrees run.
pub fn reference_of(row: usize, column: usize) -> (f64, f64) {
    let step = CELLS_PER_DEGREE as f64;
    ((row as f64 + 0.5137) / step - 90.0, (column as f64 + 0.4871) / step - 180.0)
}

/// A value of the [`Section::Areas`] grid: the area that fills the cell, or where its borders are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing but this area; [`NONE16`] is sea.
    Whole(u16),
    /// Offset into [`Section::Cells`]: reference area u16, number of runs u16, then runs of
    /// (arc u16 or u24 … first edge, number of edges), see the writer.
    Borders(u32),
}

impl Cell {
    const BORDERS: u32 = 1 << 23;

    /// In 24 bits.
    pub fn pack(self) -> u32 {
        match self {
            Self::Whole(area) => area.into(),
            Self::Borders(offset) => Self::BORDERS | offset,
        }
    }

    /// The reverse of [`Self::pack`].
    pub fn unpack(packed: u32) -> Self {
        if packed & Self::BORDERS == 0 {
            Self::Whole(packed as u16)
        } else {
            Self::Borders(packed & (Self::BORDERS - 1))
        }
    }
}

/// A value of the fst of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// A place's entry, or an offset into the postings.
    pub payload: u32,
    /// Whether the payload is an offset.
    pub many: bool,
    /// The value of the name among imported ones; 0 when it is not among them. Not part of the file.
    pub finer: u32,
}

impl Value {
    /// As an fst output.
    pub fn pack(self) -> u64 {
        u64::from(self.payload) << 1 | u64::from(self.many)
    }

    /// The reverse of [`Self::pack`].
    pub fn unpack(packed: u64) -> Self {
        Self { payload: (packed >> 1) as u32, many: packed & 1 != 0, finer: 0 }
    }

    /// Of a name that only imported places have.
    pub fn only_finer(finer: u32) -> Self {
        Self { payload: u32::MAX, many: true, finer }
    }
}

/// An entry of a posting: the place, whether the name is not its main one, and whether the name only
/// ever stands in capitals ("US", not "us").
pub fn pack_entry(place: u32, alternate: bool, acronym: bool) -> u32 {
    place << 2 | u32::from(acronym) << 1 | u32::from(alternate)
}

/// Most places that share a name; the smallest of more are left out.
pub const NAMESAKES: u32 = 120;

/// What is known of a word, apart from being a place.
pub struct Word;

impl Word {
    /// A given name.
    pub const GIVEN: u64 = 1;
    /// A family name.
    pub const FAMILY: u64 = 2;
    /// The first of the languages in which the word is an ordinary one; the others follow in the
    /// order of [`LANGUAGES`].
    pub const FIRST_LANGUAGE: u32 = 2;
    /// The first of the languages in which the word is a stop word.
    pub const FIRST_STOP: u32 = Self::FIRST_LANGUAGE + LANGUAGES.len() as u32;
}

/// Languages whose ordinary words are known.
pub const LANGUAGES: [&str; 22] = [
    "en", "de", "fi", "sv", "fr", "es", "it", "nl", "pt", "pl", "da", "no", "cs", "hu", "ro", "tr", "ca", "et", "id",
    "hr", "sl", "sk",
];

/// GeoNames feature codes, by the number that stands in a place's record.
pub const FEATURES: [&str; 36] = [
    "PPL", "PPLA", "PPLA2", "PPLA3", "PPLA4", "PPLA5", "PPLC", "PPLCH", "PPLF", "PPLG", "PPLH", "PPLL", "PPLQ", "PPLR",
    "PPLS", "PPLW", "PPLX", "STLMT", "PCLI", "PCLD", "PCLS", "PCLF", "PCLIX", "PCL", "TERR", "ADM1", "ADM2", "ADM3",
    "ADM4", "ADMD", "CONT", "RGN", "OCN", "SEA", "MTS", "HYD",
];

/// The number of a feature code; what is unknown is a populated place.
pub fn feature_number(code: &str) -> u8 {
    FEATURES.iter().position(|known| *known == code).unwrap_or(0) as u8
}

/// A sum over all bytes after the header that any change alters (four FNV-like lanes of 64 bits,
/// so that 20 MB take a few milliseconds). It guards against damage, not against malice.
pub fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut lanes = [1u64, 2, 3, 4];
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, word) in lanes.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(29);
        }
    }
    let mut sum = bytes.len() as u64;
    for lane in lanes {
        sum = (sum ^ lane).wrapping_mul(PRIME).rotate_left(31);
    }
    for byte in chunks.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(PRIME).rotate_left(17);
    }
    sum ^ sum >> 32
}
