//! Importing made dumps and extracts, and what that changes.

mod made;

use std::path::{Path, PathBuf};

use facts::LatLon;
use geo::finer::Finer;
use geo::{Gazetteer, Hints, MentionKind, parse_with, reverse};
use made::{MadeNode, MadeWay, tags};

/// The gazetteer with what a data directory has.
fn refined(data: &Path) -> &'static Gazetteer {
    let bytes: &'static [u8] = Box::leak(std::fs::read(data.join(gazetteer::FILE)).unwrap().into_boxed_slice());
    let gazetteer: &'static Gazetteer = Box::leak(Box::new(Gazetteer::embedded().clone()));
    assert!(gazetteer.refine(Finer::open(bytes, Gazetteer::stamp()).unwrap()));
    gazetteer
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn import(data: &Path, files: &[PathBuf]) -> Result<gazetteer::Imported, gazetteer::GazetteerError> {
    gazetteer::import(data, files, |_, _| {})
}

/// A line of a dump of places.
fn place(id: u32, name: &str, lat: f64, lon: f64, code: &str) -> String {
    format!("{id}\t{name}\t{name}\t\t{lat}\t{lon}\tP\t{code}\tDE\t\t10\t\t\t\t120\t\t10\tEurope/Berlin\t2020-01-01\n")
}

fn extract() -> Vec<u8> {
    let mut out = Vec::new();
    let node = |id, lat, lon, tags| MadeNode { id, lat, lon, tags };
    let house = tags(&[("addr:street", "Gaußgang"), ("addr:housenumber", "12 a"), ("addr:postcode", "24103")]);
    made::header(&mut out).unwrap();
    let all = [
        node(10, 54.3251, 10.1311, vec![]),
        node(11, 54.3255, 10.1322, vec![]),
        node(12, 54.3260, 10.1333, vec![]),
        node(20, 54.3300, 10.1400, house),
        node(30, 54.4321, 10.0123, tags(&[("place", "village"), ("name", "Quakenhörn")])),
        // Another street of that name, far away.
        node(40, 48.1000, 11.5000, vec![]),
    ];
    made::nodes(&all, &mut out).unwrap();
    let way = |name: &str, nodes: &[i64]| MadeWay {
        tags: tags(&[("highway", "residential"), ("name", name)]),
        nodes: nodes.to_vec(),
    };
    made::ways(&[way("Gaußgang", &[10, 11, 12]), way("Gaußgang", &[40, 40, 40])], &mut out).unwrap();
    out
}

#[test]
fn streets_and_houses_of_an_extract_say_where_an_address_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "kiel.osm.pbf", extract());
    let imported = import(folder.path(), &[file]).unwrap();
    assert_eq!(imported.places, 1);
    let gazetteer = refined(folder.path());
    let at = |text: &str| {
        let mentions = parse_with(gazetteer, text, &Hints::default());
        let mention = mentions.iter().find(|mention| mention.kind == MentionKind::Address).unwrap();
        (mention.at, mention.precision_m, mention.why.clone())
    };
    let (point, precision, why) = at("Wir sind im Gaußgang 12a, 24103 Kiel.");
    assert!(geo::kilometres(point, LatLon::new(54.33, 10.14).unwrap()) < 0.01 && precision < 100.0, "{point:?} {why}");
    assert!(why.contains("the house is known"), "{why}");
    let (point, precision, why) = at("Gaußgang 99, 24103 Kiel");
    assert!(
        geo::kilometres(point, LatLon::new(54.3255, 10.1322).unwrap()) < 1.0 && precision < 1000.0,
        "{point:?} {why}"
    );
    // Coordinates to a street, and nothing where none was imported.
    let spot = reverse(gazetteer, LatLon::new(54.33001, 10.14001).unwrap());
    assert!(spot.describe().starts_with("Gaußgang 12 a, Kiel"), "{}", spot.describe());
    assert_eq!(reverse(gazetteer, LatLon::new(53.14, 8.21).unwrap()).street, None);
    // A village that the embedded gazetteer does not have.
    let mentions = parse_with(
        gazetteer,
        "Wir wohnen in Quakenhörn bei Kiel.",
        &Hints { language: Some("de"), ..Hints::default() },
    );
    let place = mentions[0].place.unwrap();
    assert_eq!(place.full_name(), "Quakenhörn, Schleswig-Holstein, Germany");
}

#[test]
fn places_names_and_postcodes_of_geonames_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let places = place(90_000_001, "Quirzelbach", 54.5, 9.5, "PPL") + &place(2_891_122, "Kiel", 54.3, 10.1, "PPLA");
    let names = "1\t90000001\tda\tKvirselbæk\t\t\t\t\t\t\n2\t2891122\tfi\tKiilinki\t\t\t\t\t\t\n3\t90000001\tlink\thttps://x\t\t\t\t\t\t\n";
    let codes = "DE\t24999\tQuirzelbach\tSchleswig-Holstein\tSH\t\t00\t\t\t54.501\t9.501\t6\n";
    let files = [
        write(folder.path(), "alternateNamesV2.txt", names),
        write(folder.path(), "allCountries.txt", places),
        write(folder.path(), "postal.txt", codes),
    ];
    assert_eq!(import(folder.path(), &files).unwrap().places, 1);
    let gazetteer = refined(folder.path());
    let place = gazetteer.named("Quirzelbach")[0];
    assert_eq!((place.id().geonames(), place.population()), (Some(90_000_001), 120));
    assert_eq!(place.full_name(), "Quirzelbach, Schleswig-Holstein, Germany");
    assert_eq!(gazetteer.named("Kvirselbaek"), [place]);
    assert_eq!(gazetteer.named("Kiilinki")[0].id().geonames(), Some(2_891_122));
    assert_eq!(gazetteer.named("Kiel").len(), Gazetteer::embedded().named("Kiel").len());
    let mentions = parse_with(gazetteer, "Am Markt 3, 24999 Quirzelbach", &Hints::default());
    assert_eq!((mentions.len(), mentions[0].place), (1, Some(place)));
    assert!(mentions[0].why.contains("the postcode is known"), "{}", mentions[0].why);
}

#[test]
fn a_damaged_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.txt", place(90_000_001, "Quirzelbach", 54.5, 9.5, "PPL"));
    import(folder.path(), std::slice::from_ref(&good)).unwrap();
    let before = std::fs::read(folder.path().join(gazetteer::FILE)).unwrap();
    let whole = extract();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xFF;
    let mut unsorted = Vec::new();
    made::header(&mut unsorted).unwrap();
    let node = |id| MadeNode { id, lat: 1.0, lon: 1.0, tags: vec![] };
    made::nodes(&[node(5), node(4)], &mut unsorted).unwrap();
    for (name, bytes, why) in [
        ("cut.osm.pbf", whole[..whole.len() - 7].to_vec(), "ends in the middle"),
        ("flipped.osm.pbf", flipped, "damaged|unpacked|block"),
        ("unsorted.osm.pbf", unsorted, "not in the order"),
        ("text.osm.pbf", b"<osm version='0.6'/>".to_vec(), "is no .osm.pbf"),
        ("empty.osm.pbf", Vec::new(), "is empty"),
        ("letter.txt", b"Dear all,\n".to_vec(), "neither a dump"),
        ("half.txt", (place(1, "A", 1.0, 1.0, "PPL") + "2\thalf a line\n").into_bytes(), "line 2"),
        ("bytes.txt", [place(1, "A", 1.0, 1.0, "PPL").as_bytes(), b"\xFF\xFE\n"].concat(), "line 2 is not UTF-8"),
    ] {
        let file = write(folder.path(), name, bytes);
        let error = import(folder.path(), &[good.clone(), file]).unwrap_err().to_string();
        assert!(why.split('|').any(|why| error.contains(why)), "{name}: {error}");
        assert_eq!(std::fs::read(folder.path().join(gazetteer::FILE)).unwrap(), before, "{name}");
        let left = std::fs::read_dir(folder.path()).unwrap().flatten();
        assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains("import-")), "{name}");
    }
}

#[test]
fn an_imported_file_that_is_damaged_or_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    import(folder.path(), &[write(folder.path(), "a.txt", place(90_000_001, "Quirzelbach", 54.5, 9.5, "PPL"))])
        .unwrap();
    let bytes: &'static [u8] =
        Box::leak(std::fs::read(folder.path().join(gazetteer::FILE)).unwrap().into_boxed_slice());
    assert!(Finer::open(bytes, Gazetteer::stamp()).is_ok());
    assert!(Finer::open(bytes, Gazetteer::stamp() ^ 1).is_err());
    assert!(Finer::open(&bytes[..bytes.len() - 1], Gazetteer::stamp()).is_err());
    assert!(Finer::open(b"", Gazetteer::stamp()).is_err());
    // Wherever a byte is changed, reading does not panic.
    for at in (32..bytes.len()).step_by(3) {
        let mut changed = bytes.to_vec();
        changed[at] ^= 0x5A;
        let changed: &'static [u8] = Box::leak(changed.into_boxed_slice());
        if let Ok(finer) = Finer::open(changed, Gazetteer::stamp()) {
            let gazetteer: &'static Gazetteer = Box::leak(Box::new(Gazetteer::embedded().clone()));
            gazetteer.refine(finer);
            gazetteer.named("Quirzelbach").iter().for_each(|place| drop((place.full_name(), place.at())));
            let _ = parse_with(gazetteer, "Am Markt 3, 24999 Quirzelbach", &Hints::default());
            let _ = reverse(gazetteer, LatLon::new(54.5, 9.5).unwrap()).describe();
        }
    }
}
