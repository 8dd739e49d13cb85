//! What decoding a JPEG will take, read from its markers (ITU-T T.81, annex B).

use std::ops::Range;

/// The frame of a JPEG file.
pub(super) struct Frame {
    pub width: u32,
    pub height: u32,
    /// 1 for grey, 3 for colour, 4 for CMYK and YCCK.
    pub components: u8,
    /// How often the file goes over the picture, as far as that matters: a file that is decoded
    /// while it is read counts as one.
    pub scans: u32,
    /// Bytes the decoder holds until the last scan is read.
    pub buffered: u64,
    /// Names of the components that have a sample for every pixel: brightness, as a rule.
    dense: Vec<u8>,
    /// Where the scans are that bring no mean values of blocks, and only of dense components.
    details: Vec<Range<usize>>,
}

/// More scans than any file needs: there is no use in counting on, nor in decoding.
pub(super) const MOST_SCANS: u32 = 1000;

impl Frame {
    /// Reads the markers. Garbage between them is passed over, as the decoder does.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = Markers { bytes, at: 2 };
        if !bytes.starts_with(&[0xff, 0xd8]) {
            return None;
        }
        let mut frame: Option<Self> = None;
        let mut progressive = false;
        let mut scan: Option<usize> = None;
        while let Some((start, marker)) = rest.next() {
            // A scan that brings no mean values ends where the next marker begins.
            if let (Some(begun), Some(frame)) = (scan.take(), &mut frame) {
                frame.details.push(begun..start);
            }
            match (marker, &mut frame) {
                (0xd9, _) => break,
                (0xc0..=0xcf, known) if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                    if known.is_some() {
                        break;
                    }
                    progressive = matches!(marker, 0xc2 | 0xca);
                    frame = Some(Self::of(rest.segment()?)?);
                }
                (0xda, Some(frame)) => {
                    let Some(segment) = rest.segment() else { break };
                    let in_scan = segment.first().copied().unwrap_or(0);
                    if !progressive && frame.scans == 0 && in_scan == frame.components {
                        // All there is comes in this scan, row by row.
                        frame.buffered = 0;
                        frame.scans = 1;
                        break;
                    }
                    frame.scans += 1;
                    if frame.scans >= MOST_SCANS {
                        break;
                    }
                    if let [1, component, _, first_frequency, ..] = segment {
                        let detail = progressive && *first_frequency > 0 && frame.dense.contains(component);
                        scan = detail.then_some(start);
                    }
                }
                _ => drop(rest.segment()),
            }
        }
        if let (Some(begun), Some(frame)) = (scan, &mut frame) {
            frame.details.push(begun..bytes.len());
        }
        frame
    }

    /// The frame a header describes.
    fn of(segment: &[u8]) -> Option<Self> {
        let [_, h1, h2, w1, w2, components, sampling @ ..] = segment else { return None };
        let (width, height) = (u32::from(u16::from_be_bytes([*w1, *w2])), u32::from(u16::from_be_bytes([*h1, *h2])));
        let sampling: Vec<(u8, u64, u64)> = sampling
            .chunks_exact(3)
            .take((*components).into())
            .map(|component| (component[0], u64::from(component[1] >> 4), u64::from(component[1] & 15)))
            .collect();
        let across = sampling.iter().map(|(_, h, _)| *h).max().filter(|most| *most > 0)?;
        let down = sampling.iter().map(|(_, _, v)| *v).max().filter(|most| *most > 0)?;
        if width == 0 || height == 0 {
            return None;
        }
        let units = u64::from(width).div_ceil(8 * across) * u64::from(height).div_ceil(8 * down);
        let blocks: u64 = sampling.iter().map(|(_, h, v)| units * h * v).sum();
        let buffered = blocks * 64 * size_of::<i16>() as u64;
        let dense = sampling.iter().filter(|(_, h, v)| (*h, *v) == (across, down)).map(|(name, ..)| *name).collect();
        Some(Self { width, height, components: *components, scans: 0, buffered, dense, details: Vec::new() })
    }

    /// Whether there are scans that bring only details, beside the first of them.
    pub fn has_details(&self) -> bool {
        self.details.len() > 1
    }

    /// The file without the scans that bring only details, if there are any. At an eighth of its
    /// size each block is one pixel, its mean value: nothing else is looked at. The first of these
    /// scans stays: without any, the decoder takes the file for one that is still on its way and
    /// blurs it.
    pub fn lowest_frequencies(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let details = self.details.get(1..).filter(|details| !details.is_empty())?;
        let mut kept = Vec::new();
        let mut at = 0;
        for detail in details {
            kept.extend_from_slice(&bytes[at..detail.start]);
            at = detail.end;
        }
        kept.extend_from_slice(&bytes[at..]);
        Some(kept)
    }
}

/// The markers of a file in order.
struct Markers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Markers<'a> {
    /// The next marker and where it begins. Compressed data, in which 255 is followed by zero or by
    /// a restart, are passed over.
    fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let start = self.at + rest.iter().position(|byte| *byte == 0xff)?;
            let fill = self.bytes[start..].iter().position(|byte| *byte != 0xff)?;
            self.at = start + fill + 1;
            let marker = self.bytes[start + fill];
            if !matches!(marker, 0 | 1 | 0xd0..=0xd7) {
                return Some((start, marker));
            }
        }
    }

    /// What follows a marker, without its length.
    fn segment(&mut self) -> Option<&'a [u8]> {
        let length = self.bytes.get(self.at..)?.first_chunk().map(|length| u16::from_be_bytes(*length))?;
        let end = self.at + usize::from(length).max(2);
        let segment = self.bytes.get(self.at + 2..end);
        self.at = end;
        segment
    }
}
