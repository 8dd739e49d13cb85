//! Laying the gazetteer out, the mirror of `geo::Gazetteer`.

use geo::layout::{self, HEADER, MAGIC, SECTIONS, Section, VERSION};

/// Sections on their way into a file.
#[derive(Default)]
pub struct Sections([Vec<u8>; SECTIONS]);

impl Sections {
    /// A section's bytes.
    pub fn of(&mut self, section: Section) -> &mut Vec<u8> {
        &mut self.0[section as usize]
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let table = SECTIONS * 8;
        let length = HEADER + table + self.0.iter().map(Vec::len).sum::<usize>();
        let mut file = Vec::with_capacity(length);
        file.extend(MAGIC);
        for number in [VERSION, SECTIONS as u32, length as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend([0; 8]);
        let mut offset = HEADER + table;
        for section in &self.0 {
            file.extend((offset as u32).to_le_bytes());
            file.extend((section.len() as u32).to_le_bytes());
            offset += section.len();
        }
        self.0.iter().for_each(|section| file.extend(section));
        let sum = layout::checksum(&file[HEADER..]);
        file[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
        file
    }

    /// Sizes, for people.
    pub fn sizes(&self) -> String {
        self.0.iter().enumerate().map(|(number, section)| format!("{number}: {} KB  ", section.len() / 1024)).collect()
    }
}

/// Three bytes of a number.
pub fn u24(number: u32) -> [u8; 3] {
    let bytes = number.to_le_bytes();
    [bytes[0], bytes[1], bytes[2]]
}

/// LEB128.
pub fn varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
