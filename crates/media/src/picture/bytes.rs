//! Looks as bytes, as small as they can be without work.

use super::hash::PictureHash;
use super::look::Look;
use super::relief::{Relief, Reliefs};
use super::turn::Turn;
use super::view::View;

/// Bytes of a view: the hash, its quality, its turn with its doubt.
const VIEW: usize = 32 + 1 + 1;
/// Bytes of a relief.
const RELIEF: usize = 256;
/// Bytes of a look without bars and borders; one with them has another relief.
const LENGTH: usize = 2 + 128 + 30 + 54 + 72 + 33 + RELIEF + VIEW * View::COUNT;

impl Look {
    /// The look as bytes: its version and what it is made of.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend(Self::VERSION.to_le_bytes());
        pack::<4>(&self.scd, &mut bytes);
        pack::<3>(&self.ehd, &mut bytes);
        pack::<3>(&self.cedd, &mut bytes);
        pack::<3>(&self.fcth, &mut bytes);
        bytes.extend(self.cld.iter().map(|value| *value as u8));
        bytes.extend(self.reliefs.whole.0.iter().map(|value| *value as u8));
        for view in &self.views {
            bytes.extend(view.hash.bits.iter().flat_map(|bits| bits.to_le_bytes()));
            bytes.push(view.hash.quality);
            bytes.push(view.turn.number() | view.doubt.number() << 3);
        }
        bytes.extend(self.reliefs.within.iter().flat_map(|relief| relief.0).map(|value| value as u8));
        bytes
    }

    /// The look that [`Look::to_bytes`] wrote; none for anything else, and for other versions.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != LENGTH && bytes.len() != LENGTH + RELIEF {
            return None;
        }
        let (version, rest) = bytes.split_first_chunk()?;
        if u16::from_le_bytes(*version) != Self::VERSION {
            return None;
        }
        let mut rest = rest;
        let scd = unpack::<4, 256>(&mut rest)?;
        let ehd = unpack::<3, 80>(&mut rest)?;
        let cedd = unpack::<3, 144>(&mut rest)?;
        let fcth = unpack::<3, 192>(&mut rest)?;
        let cld = signed::<33>(&mut rest)?;
        let whole = Relief(signed(&mut rest)?);
        let mut views = Vec::with_capacity(View::COUNT);
        for _ in 0..View::COUNT {
            let mut bits = [0; 4];
            for word in &mut bits {
                let (first, others) = rest.split_first_chunk()?;
                (*word, rest) = (u64::from_le_bytes(*first), others);
            }
            let ([quality, turn], others) = rest.split_first_chunk()?;
            rest = others;
            let hash = PictureHash { bits, quality: *quality };
            views.push(View { hash, turn: Turn::numbered(*turn), doubt: Turn::numbered(turn >> 3) });
        }
        let within = if rest.is_empty() { None } else { Some(Relief(signed(&mut rest)?)) };
        Some(Self::from_parts(scd, ehd, cedd, fcth, cld, Reliefs { whole, within }, views.try_into().ok()?))
    }
}

/// Appends values of `BITS` bits each, the first in the lowest bits. There are whole bytes of them.
fn pack<const BITS: u32>(values: &[u8], bytes: &mut Vec<u8>) {
    let (mut waiting, mut bits) = (0u32, 0);
    for value in values {
        waiting |= u32::from(*value) << bits;
        bits += BITS;
        if bits >= 8 {
            bytes.push(waiting as u8);
            waiting >>= 8;
            bits -= 8;
        }
    }
}

fn unpack<const BITS: u32, const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (packed, rest) = bytes.split_at_checked(N * BITS as usize / 8)?;
    *bytes = rest;
    let mut packed = packed.iter();
    let mut values = [0; N];
    let (mut waiting, mut bits) = (0u32, 0);
    for value in &mut values {
        if bits < BITS {
            waiting |= u32::from(*packed.next()?) << bits;
            bits += 8;
        }
        *value = (waiting & ((1 << BITS) - 1)) as u8;
        waiting >>= BITS;
        bits -= BITS;
    }
    Some(values)
}

fn signed<const N: usize>(bytes: &mut &[u8]) -> Option<[i8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(first.map(|value| value as i8))
}
