//! Dumps of GeoNames and extracts of OpenStreetMap, on their way into a library; and what was made of them,
//! whole or with a byte that is another one, asked for places, streets, houses and postcodes.
#![no_main]

use std::sync::LazyLock;

use facts::LatLon;
use geo::finer::{Areas, Finer};
use geo::{Gazetteer, Hints};

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a folder for files")
});
static AREAS: LazyLock<Areas> = LazyLock::new(Areas::embedded);
/// One that nothing was added to, and that has measured how far areas reach: its copies need not.
static FRESH: LazyLock<Gazetteer> = LazyLock::new(|| Gazetteer::embedded().clone());
static WARM: LazyLock<&Gazetteer> = LazyLock::new(|| {
    let _ = geo::parse_with(&FRESH, "The ferry from Gothenburg to Kiel, Germany.", &Hints::default());
    &FRESH
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(([first, at @ .., other], body)) = bytes.split_first_chunk::<4>() else { return };
    let file = FOLDER.path().join(if first % 2 == 0 { "extract.osm.pbf" } else { "dump.txt" });
    std::fs::write(&file, body).expect("room for a file");
    let Ok((imported, mut made)) = gazetteer::tried::read(file, FOLDER.path(), &AREAS) else { return };
    assert_eq!(imported.bytes, made.len() as u64);
    let is_damaged = first / 2 % 2 == 1;
    if is_damaged {
        let at = usize::from(u16::from_le_bytes(*at)) % made.len();
        made[at] = *other;
    }
    let held: *mut [u8] = Box::into_raw(made.into_boxed_slice());
    // SAFETY: nothing that points into it outlives this.
    let finer = Finer::open(unsafe { &*held }, Gazetteer::stamp());
    assert!(is_damaged || finer.is_ok(), "what was made cannot be read: {finer:?}");
    // Of what is empty nothing can be asked.
    if let (Ok(finer), true) = (finer, imported.places > 0 || imported.bytes > 400) {
        let gazetteer: *mut Gazetteer = Box::into_raw(Box::new(Gazetteer::clone(*WARM)));
        // SAFETY: as before.
        ask(unsafe { &*gazetteer }, finer, &String::from_utf8_lossy(body));
        drop(unsafe { Box::from_raw(gazetteer) });
    }
    drop(unsafe { Box::from_raw(held) });
});

fn ask(gazetteer: &'static Gazetteer, finer: Finer, text: &str) {
    gazetteer.refine(finer);
    let _ = (finer.about(), finer.len());
    // What stands in the file itself is what it is asked for.
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != ' ').filter(|word| word.len() > 2).take(40);
    for word in words() {
        for place in gazetteer.named(word) {
            let _ = (place.full_name(), place.id(), place.at(), place.population(), place.kind());
        }
    }
    let names: Vec<&str> = words().collect();
    for names in names.windows(3).step_by(3).take(4) {
        let text = format!("{} {}, {} {}\nHafenstraße 5, 24103 Kiel", names[0], names[1], names[2], names[0]);
        for mention in geo::parse_with(gazetteer, &text, &Hints::default()) {
            assert!(mention.at.lat().abs() <= 90.0);
        }
    }
    let numbers: Vec<f64> = words().filter_map(|word| word.parse().ok()).collect();
    let near = numbers.windows(2).filter_map(|pair| LatLon::new(pair[0], pair[1]));
    for point in near.chain([LatLon::new(54.32, 10.13)].into_iter().flatten()).take(8) {
        let _ = geo::reverse(gazetteer, point).describe();
    }
}
