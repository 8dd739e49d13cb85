//! Writers: pixels and samples to files. JPEG has a writer of its own.

use crate::media::scene::Canvas;

/// Where padding goes. In most photos the bulk comes after the header, because it is the picture;
/// some cameras keep large previews before the frame header, some editors put theirs after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    BeforeFrame,
    BeforeScan,
    AfterPicture,
}

/// Fills a JPEG up until it has this many bytes: with application segments, such as makers' notes
/// are, or with bytes after its end, as phones add films.
pub(crate) fn padded_jpeg(file: Vec<u8>, bytes: usize, place: Padding) -> Vec<u8> {
    let mut missing = bytes.saturating_sub(file.len());
    if missing < 16 {
        return file;
    }
    let at = match place {
        Padding::AfterPicture => file.len(),
        _ => segment_start(&file, place),
    };
    let mut out = Vec::with_capacity(bytes);
    out.extend(&file[..at]);
    let mut state = bytes as u32 | 1;
    while missing >= 16 {
        let length = missing.min(65_000);
        out.extend([0xff, 0xef]);
        out.extend(((length - 2) as u16).to_be_bytes());
        for _ in 0..length - 4 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            out.push((state >> 24) as u8);
        }
        missing -= length;
    }
    out.extend(&file[at..]);
    out
}

fn segment_start(file: &[u8], place: Padding) -> usize {
    let mut at = 2;
    while at + 4 <= file.len() && file[at] == 0xff {
        let marker = file[at + 1];
        let frame = matches!(marker, 0xc0..=0xc2) && place == Padding::BeforeFrame;
        if frame || marker == 0xda {
            return at;
        }
        at += 2 + usize::from(u16::from_be_bytes([file[at + 2], file[at + 3]]));
    }
    2
}

pub(crate) fn png(canvas: &Canvas) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    // Writing into memory cannot fail.
    let _ = encoder.write_header().and_then(|mut writer| writer.write_image_data(&canvas.rgb));
    out
}

pub(crate) fn webp(canvas: &Canvas, exif: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = image_webp::WebPEncoder::new(&mut out);
    if let Some(tiff) = exif {
        encoder.set_exif_metadata(tiff.to_vec());
    }
    let _ = encoder.encode(&canvas.rgb, canvas.width as u32, canvas.height as u32, image_webp::ColorType::Rgb8);
    out
}

pub(crate) fn bmp(canvas: &Canvas) -> Vec<u8> {
    let stride = (canvas.width * 3).next_multiple_of(4);
    let mut out = Vec::with_capacity(54 + stride * canvas.height);
    out.extend(b"BM");
    out.extend((54 + (stride * canvas.height) as u32).to_le_bytes());
    out.extend([0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0]);
    out.extend((canvas.width as u32).to_le_bytes());
    out.extend((canvas.height as u32).to_le_bytes());
    out.extend([1, 0, 24, 0]);
    out.extend([0; 24]);
    for row in canvas.rgb.chunks_exact(canvas.width * 3).rev() {
        for pixel in row.chunks_exact(3) {
            out.extend([pixel[2], pixel[1], pixel[0]]);
        }
        out.resize(out.len() + stride - canvas.width * 3, 0);
    }
    out
}

/// A GIF of one or more frames, in a fixed palette of 6 × 6 × 6 colours.
pub(crate) fn gif(frames: &[Canvas]) -> Vec<u8> {
    let Some(first) = frames.first() else { return Vec::new() };
    let mut out = b"GIF89a".to_vec();
    let size = [(first.width as u16).to_le_bytes(), (first.height as u16).to_le_bytes()].concat();
    out.extend(&size);
    out.extend([0xf7, 0, 0]);
    for entry in 0..256u32 {
        let level = |step: u32| (step % 6 * 51) as u8;
        out.extend(if entry < 216 { [level(entry / 36), level(entry / 6), level(entry)] } else { [0; 3] });
    }
    if frames.len() > 1 {
        out.extend(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0");
    }
    for frame in frames {
        out.extend([0x21, 0xf9, 4, 0, 12, 0, 0, 0, 0x2c, 0, 0, 0, 0]);
        out.extend(&size);
        out.extend([0, 8]);
        let data = lzw(&palette_indices(frame));
        for block in data.chunks(255) {
            out.push(block.len() as u8);
            out.extend(block);
        }
        out.push(0);
    }
    out.push(0x3b);
    out
}

/// Nearest palette entries after ordered dithering, which keeps skies smooth.
fn palette_indices(canvas: &Canvas) -> Vec<u8> {
    const BAYER: [i32; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    let level = |value: u8, threshold: i32| ((i32::from(value) + (threshold * 3 - 22)).clamp(0, 255) + 25) / 51;
    let pixels = canvas.rgb.chunks_exact(3).enumerate();
    pixels
        .map(|(i, p)| {
            let threshold = BAYER[(i / canvas.width % 4) * 4 + i % canvas.width % 4];
            (level(p[0], threshold) * 36 + level(p[1], threshold) * 6 + level(p[2], threshold)) as u8
        })
        .collect()
}

/// The compression of GIF with codes from 9 bits on.
fn lzw(indices: &[u8]) -> Vec<u8> {
    const CLEAR: u16 = 256;
    const END: u16 = 257;
    let mut out = Vec::with_capacity(indices.len() / 2);
    let (mut bits, mut held) = (0u32, 0u32);
    let mut emit = |code: u16, width: u32, out: &mut Vec<u8>| {
        bits |= u32::from(code) << held;
        held += width;
        while held >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    };
    // For each code and next byte the longer code, 0 for none.
    let mut table = vec![0u16; 4096 * 256];
    let (mut next, mut width) = (END + 1, 9);
    emit(CLEAR, width, &mut out);
    let mut rest = indices.iter();
    let mut prefix = u16::from(*rest.next().unwrap_or(&0));
    for &byte in rest {
        let at = usize::from(prefix) * 256 + usize::from(byte);
        if table[at] != 0 {
            prefix = table[at];
            continue;
        }
        emit(prefix, width, &mut out);
        if next == 4095 {
            emit(CLEAR, width, &mut out);
            table.fill(0);
            (next, width) = (END + 1, 9);
        } else {
            table[at] = next;
            if next == 1 << width {
                width += 1;
            }
            next += 1;
        }
        prefix = u16::from(byte);
    }
    emit(prefix, width, &mut out);
    emit(END, width, &mut out);
    emit(0, 7, &mut out);
    out
}

/// A film: JPEG frames in an AVI container.
pub(crate) fn avi(frames: &[Vec<u8>], width: u32, height: u32, frames_per_second: u32) -> Vec<u8> {
    let chunk = |id: &[u8; 4], body: &[u8]| {
        let mut out = id.to_vec();
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
        out.resize(out.len().next_multiple_of(2), 0);
        out
    };
    let list = |kind: &[u8; 4], body: &[u8]| chunk(b"LIST", &[kind.as_slice(), body].concat());
    let words = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let count = frames.len() as u32;
    let largest = frames.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let main = words(&[
        1_000_000 / frames_per_second,
        largest * frames_per_second,
        0,
        0x10,
        count,
        0,
        1,
        largest,
        width,
        height,
        0,
        0,
        0,
        0,
    ]);
    let mut stream = b"vidsMJPG".to_vec();
    stream.extend(words(&[0, 0, 0, 1, frames_per_second, 0, count, largest, u32::MAX, 0, 0, height << 16 | width]));
    let mut format = words(&[40, width, height, 24 << 16 | 1]);
    format.extend(b"MJPG");
    format.extend(words(&[width * height * 3, 0, 0, 0, 0]));
    let header =
        [chunk(b"avih", &main), list(b"strl", &[chunk(b"strh", &stream), chunk(b"strf", &format)].concat())].concat();
    let (mut movie, mut index) = (Vec::new(), Vec::new());
    for frame in frames {
        index.extend(b"00dc");
        index.extend(words(&[0x10, movie.len() as u32 + 4, frame.len() as u32]));
        movie.extend(chunk(b"00dc", frame));
    }
    let body = [b"AVI ".to_vec(), list(b"hdrl", &header), list(b"movi", &movie), chunk(b"idx1", &index)].concat();
    chunk(b"RIFF", &body)
}

/// A sound: 16-bit samples of one channel.
pub(crate) fn wav(samples: &[i16], rate: u32) -> Vec<u8> {
    let length = samples.len() as u32 * 2;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + length).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    out.extend(rate.to_le_bytes());
    out.extend((rate * 2).to_le_bytes());
    out.extend(b"\x02\0\x10\0data");
    out.extend(length.to_le_bytes());
    out.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    out
}
