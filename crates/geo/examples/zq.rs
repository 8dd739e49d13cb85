//! Temporary.
fn main() {
    for n in std::env::args().skip(1) {
        println!("{n}: {:?}", geo::Gazetteer::embedded().named(&n).iter().take(6).collect::<Vec<_>>());
    }
}
