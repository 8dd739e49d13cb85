//! How an imported gazetteer lies in its file; the reader here and the writer in `gazetteer` share it.
//!
//! Everything is little-endian. A header of [`HEADER`] bytes (magic; version, stamp of the embedded
//! gazetteer, length of the file: u64 each), a table of (offset, length) pairs of u64, then the
//! sections. Numbers of countries and areas are those of the embedded gazetteer, hence the stamp.

/// First bytes of the file.
pub const MAGIC: [u8; 8] = *b"bowerFN\0";
/// Changes whenever a section's layout does.
pub const VERSION: u32 = 1;
/// Bytes before the table of sections.
pub const HEADER: usize = 32;

/// Sections, in the order they stand in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Section {
    /// What the file was made from, as text.
    About,
    /// Records of [`PLACE`] bytes.
    Places,
    /// Names, each a length byte and UTF-8.
    Names,
    /// An fst from folded name to the offset of its posting and one.
    Keys,
    /// Lists of places that share a name: a count, then that many [entries](pack_entry), all LEB128.
    Postings,
    /// Entries sorted by key: lengths of key and value (LEB128), key, value.
    Table,
    /// Offsets (u64) of every [`STRIDE`]th entry of the table.
    Index,
}

/// Number of sections.
pub const SECTIONS: usize = 7;
/// id u32, latitude i32, longitude i32 (10⁻⁷ degrees), people u32, name u32, admin1 u16, admin2 u16, country u8,
/// feature u8, two bytes of nothing.
pub const PLACE: usize = 28;
/// One in so many entries of the table is in its index.
pub const STRIDE: usize = 16;

/// Cells in a degree of the grid that streets near a point are found by; one is some 550 m high.
const CELLS_PER_DEGREE: f64 = 200.0;
const COLUMNS: u32 = 360 * 200;
const ROWS: u32 = 180 * 200;

/// An entry of a posting: a place's index, whether it is an imported one, and whether the name is not its
/// main one.
pub fn pack_entry(index: u32, imported: bool, alternate: bool) -> u64 {
    u64::from(index) << 2 | u64::from(imported) << 1 | u64::from(alternate)
}

/// Degrees to 10⁻⁷ degrees.
pub fn pack(degrees: f64) -> i32 {
    (degrees * 1e7).round() as i32
}

/// A point at the beginning of a value.
pub fn point(value: &[u8]) -> Option<(f64, f64)> {
    let number = |at: usize| Some(f64::from(i32::from_le_bytes(value.get(at..at + 4)?.try_into().ok()?)) / 1e7);
    Some((number(0)?, number(4)?))
}

/// A point as the beginning of a value.
pub fn pack_point(lat: f64, lon: f64) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&pack(lat).to_le_bytes());
    bytes[4..].copy_from_slice(&pack(lon).to_le_bytes());
    bytes
}

/// The key of a street's points.
pub fn street_key(street: &str) -> Vec<u8> {
    format!("s{}\0", street_name(street)).into_bytes()
}

/// The key of a house's points.
pub fn house_key(street: &str, number: &str) -> Vec<u8> {
    format!("h{}\0{}\0", street_name(street), crate::fold(number).replace(' ', "")).into_bytes()
}

/// The key of a postcode's points; the country is empty where it is not known.
pub fn postcode_key(country: &str, postcode: &str) -> Vec<u8> {
    let bare: String = postcode.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    format!("p{country}\0{bare}\0").into_bytes()
}

/// The key of what is in a cell.
pub fn cell_key(cell: u32) -> [u8; 5] {
    let [a, b, c, d] = cell.to_be_bytes();
    [b'r', a, b, c, d]
}

/// The cell of a point.
pub fn cell_of(lat: f64, lon: f64) -> u32 {
    let row = ((lat + 90.0) * CELLS_PER_DEGREE).clamp(0.0, f64::from(ROWS - 1)) as u32;
    let column = ((lon + 180.0) * CELLS_PER_DEGREE).clamp(0.0, f64::from(COLUMNS - 1)) as u32;
    row * COLUMNS + column
}

/// The cells around a point, its own among them.
pub(crate) fn cells_around(at: (f64, f64)) -> impl Iterator<Item = u32> {
    let own = cell_of(at.0, at.1);
    let (row, column) = (own / COLUMNS, own % COLUMNS);
    // Cells are narrow in the north.
    let wide = (1.0 / at.0.to_radians().cos().max(0.15)).ceil() as u32;
    let rows = row.saturating_sub(1)..=(row + 1).min(ROWS - 1);
    rows.flat_map(move |row| (0..=2 * wide).map(move |step| row * COLUMNS + (column + COLUMNS + step - wide) % COLUMNS))
}

/// One spelling of a street's name: "Hauptstr." and "Hauptstraße", "Main St" and "Main Street".
pub fn street_name(street: &str) -> String {
    let folded = crate::fold(street);
    let last = folded.split(' ').count().saturating_sub(1);
    let mut words: Vec<String> = Vec::new();
    for (index, word) in folded.split(' ').enumerate() {
        let full = match word {
            "ul" if index == 0 => continue,
            "st" if index == last => "street",
            "rd" => "road",
            "ave" | "av" => "avenue",
            "bd" | "blvd" => "boulevard",
            "dr" if index == last => "drive",
            "ln" => "lane",
            "ct" if index == last => "court",
            "pl" if index == last => "place",
            "c" if index == 0 => "calle",
            _ => word,
        };
        match full.strip_suffix("str").filter(|stem| stem.len() > 2) {
            Some(stem) => words.push(format!("{stem}strasse")),
            None if full == "str" => words.push("strasse".to_owned()),
            None => words.push(full.to_owned()),
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streets_have_one_spelling() {
        for (a, b) in [
            ("Hauptstr.", "Hauptstraße"),
            ("Main St", "Main Street"),
            ("ul. Długa", "Długa"),
            ("Av. Foch", "avenue Foch"),
        ] {
            assert_eq!(street_name(a), street_name(b));
        }
        assert_eq!(street_name("St John Street"), "st john street");
    }

    #[test]
    fn the_cells_around_a_point_hold_its_neighbours() {
        let around: Vec<u32> = cells_around((54.3, 10.1)).collect();
        assert!(around.contains(&cell_of(54.3, 10.1)) && around.contains(&cell_of(54.304, 10.094)));
        assert!(cells_around((0.0, 179.999)).any(|cell| cell == cell_of(0.0, -179.999)));
    }
}
