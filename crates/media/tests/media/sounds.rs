//! Sounds: their tags, and how long they last.

use std::time::Duration;

use crate::made::riff;
use crate::read;

fn id3(frames: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in frames {
        body.extend(*name);
        body.extend((content.len() as u32).to_be_bytes());
        body.extend([0, 0]);
        body.extend(*content);
    }
    assert!(body.len() < 128);
    [&b"ID3\x04\0\0\0\0\0"[..], &[body.len() as u8], &body].concat()
}

fn comments(comments: &[&str]) -> Vec<u8> {
    let field = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let list = comments.iter().map(|comment| field(comment)).collect::<Vec<_>>().concat();
    [field("maker"), (comments.len() as u32).to_le_bytes().to_vec(), list].concat()
}

const COMMENTS: [&str; 4] = ["TITLE=Waves", "artist=The Sea", "LICENSE=CC0", "DATE=2018-04-18"];

fn assert_tags(facts: &media::Facts) {
    assert_eq!(facts.title.as_deref(), Some("Waves"));
    assert_eq!(facts.author.as_deref(), Some("The Sea"));
    assert_eq!(facts.licence.as_deref(), Some("CC0"));
}

#[test]
fn mp3_gives_its_tags_and_its_length() {
    let tag = id3(&[(b"TIT2", b"\x03Waves"), (b"TPE1", b"\0The Sea"), (b"WCOP", b"CC0"), (b"TDRC", b"\0" as &[u8])]);
    let mut sound = vec![0; 16_000];
    sound[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
    let facts = read(&[tag.clone(), sound.clone()].concat());
    assert_tags(&facts);
    assert_eq!(facts.duration, Some(Duration::from_secs(1)), "128 kbit/s");
    sound[36..40].copy_from_slice(b"Xing");
    sound[43] = 1;
    sound[44..48].copy_from_slice(&1225u32.to_be_bytes());
    assert_eq!(
        read(&[tag, sound].concat()).duration,
        Some(Duration::from_secs(32)),
        "1225 frames of 1152 at 44,100 Hz"
    );
}

#[test]
fn flac_gives_its_comments_and_its_length() {
    let mut about = vec![0; 34];
    about[10..18].copy_from_slice(&(44_100u64 << 44 | 1 << 41 | 15 << 36 | 441_000).to_be_bytes());
    let said = comments(&COMMENTS);
    let file = [&b"fLaC\0\0\0\x22"[..], &about, &[0x84, 0, 0, said.len() as u8], &said].concat();
    let facts = read(&file);
    assert_tags(&facts);
    assert_eq!(facts.duration, Some(Duration::from_secs(10)));
    assert_eq!(facts.taken.unwrap().day, 18);
}

fn page(position: u64, content: &[u8]) -> Vec<u8> {
    let table: Vec<u8> = content.chunks(255).map(|piece| piece.len() as u8).collect();
    let head = [&b"OggS\0\0"[..], &position.to_le_bytes(), &7u32.to_le_bytes(), &[0; 8], &[table.len() as u8]].concat();
    [head, table, content.to_vec()].concat()
}

#[test]
fn ogg_and_opus_give_their_comments_and_their_length() {
    let vorbis = [&b"\x01vorbis\0\0\0\0\x02"[..], &44_100u32.to_le_bytes(), &[0; 14]].concat();
    let opus = [&b"OpusHead\x01\x02\0\0"[..], &48_000u32.to_le_bytes(), &[0; 3]].concat();
    for (name, first, mark, last) in
        [("ogg", vorbis, &b"\x03vorbis"[..], 441_000), ("opus", opus, b"OpusTags", 480_000)]
    {
        let said = [mark, &comments(&COMMENTS)].concat();
        let file = [page(0, &first), page(0, &said), page(last, &[0x55; 200])].concat();
        let facts = read(&file);
        assert_eq!(facts.format.name, name);
        assert_tags(&facts);
        assert_eq!(facts.duration, Some(Duration::from_secs(10)), "{name}");
    }
}

#[test]
fn wav_and_aiff_give_their_length() {
    let format = [&[1, 0, 2, 0][..], &44_100u32.to_le_bytes(), &176_400u32.to_le_bytes(), &[4, 0, 16, 0]].concat();
    let list = [&b"INFOINAM"[..], &6u32.to_le_bytes(), b"Waves\0"].concat();
    let facts = read(&riff(b"WAVE", &[(b"fmt ", format), (b"data", vec![0; 176_400 * 2]), (b"LIST", list)]));
    assert_eq!((facts.duration, facts.title.as_deref()), (Some(Duration::from_secs(2)), Some("Waves")));
    let about = [&[0, 2][..], &88_200u32.to_be_bytes(), &[0, 16, 0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]].concat();
    let file = [&b"FORM\0\0\0\x2eAIFFCOMM\0\0\0\x12"[..], &about, b"NAME\0\0\0\x05Waves\0"].concat();
    let facts = read(&file);
    assert_eq!((facts.duration, facts.title.as_deref()), (Some(Duration::from_secs(2)), Some("Waves")));
}
