//! What stands inside files of each kind about who made them, when and where: the bytes are put into a whole
//! file at the place where such things stand.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, said)) = bytes.split_first() else { return };
    let file = match first % 9 {
        0 => jpeg(0xe1, &[b"Exif\0\0", said].concat()),
        1 => jpeg(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", said].concat()),
        2 => {
            let length = u16::try_from(said.len()).unwrap_or(u16::MAX).to_be_bytes();
            jpeg(0xed, &[b"Photoshop 3.0\x008BIM\x04\x04\0\0\0\0", &length[..], said].concat())
        }
        3 => png(b"eXIf", said),
        4 => png(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", said].concat()),
        5 => webp(b"EXIF", said),
        6 => {
            let length = u32::try_from(said.len()).unwrap_or(u32::MAX);
            let seven = |shift: u32| u8::try_from(length >> shift & 0x7f).unwrap_or(0x7f);
            let version = 2 + first / 9 % 3;
            let head = [b'I', b'D', b'3', version, 0, 0, seven(21), seven(14), seven(7), seven(0)];
            [&head[..], said, &[0xff, 0xfb, 0x90, 0, 0, 0, 0, 0]].concat()
        }
        7 => {
            let length = u32::try_from(said.len()).unwrap_or(u32::MAX).to_be_bytes();
            let stream = [b"fLaC\0\0\0\x22".as_slice(), &[0x10; 34]].concat();
            [&stream[..], &[0x84], &length[1..], said].concat()
        }
        _ => {
            let boxed = |name: &[u8; 4], body: &[u8]| {
                let length = u32::try_from(body.len() + 8).unwrap_or(u32::MAX).to_be_bytes();
                [&length[..], name, body].concat()
            };
            let kind = boxed(b"ftyp", b"isom\0\0\x02\0isommp41");
            [kind, boxed(b"moov", &boxed(b"udta", said)), boxed(b"mdat", &[0; 16])].concat()
        }
    };
    let Ok(facts) = media::read_whole(&file, facts::Timestamp(1_800_000_000_000)) else { return };
    assert!(facts.location.is_none_or(|location| location.at.lat().abs() <= 90.0));
});

/// A photo with this segment.
fn jpeg(mark: u8, segment: &[u8]) -> Vec<u8> {
    let length = u16::try_from(segment.len() + 2).unwrap_or(u16::MAX).to_be_bytes();
    let size = [0xff, 0xc0, 0, 11, 8, 3, 0, 4, 0, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
    [&[0xff, 0xd8, 0xff, mark], &length[..], segment, &size, &[0x55; 32], &[0xff, 0xd9]].concat()
}

/// A picture with this chunk. Nobody compares sums of chunks that are not pixels.
fn png(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&length[..], name, body, &[0; 4]].concat()
    };
    let size = chunk(b"IHDR", &[0, 0, 4, 0, 0, 0, 3, 0, 8, 2, 0, 0, 0]);
    [b"\x89PNG\r\n\x1a\n".to_vec(), size, chunk(name, body), chunk(b"IDAT", &[0; 8]), chunk(b"IEND", &[])].concat()
}

/// A picture with this chunk after its pixels.
fn webp(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
        [&length_of(name, length)[..], body, if body.len() % 2 == 1 { &[0] } else { &[] }].concat()
    };
    let head = chunk(b"VP8X", &[0x0c, 0, 0, 0, 0xff, 3, 0, 0xff, 2, 0]);
    let inner = [b"WEBP".to_vec(), head, chunk(b"VP8 ", &[0; 16]), chunk(name, body)].concat();
    [&length_of(b"RIFF", u32::try_from(inner.len()).unwrap_or(u32::MAX).to_le_bytes())[..], &inner].concat()
}

fn length_of(name: &[u8; 4], length: [u8; 4]) -> [u8; 8] {
    let mut head = [0; 8];
    head[..4].copy_from_slice(name);
    head[4..].copy_from_slice(&length);
    head
}
