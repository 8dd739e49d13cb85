//! Builds the crate again when the web page was.

fn main() {
    // A path that is not there would build it again every time.
    let watched =
        ["../../ui/dist", "../../ui", "Cargo.toml"].into_iter().find(|path| std::path::Path::new(path).exists());
    println!("cargo::rerun-if-changed={}", watched.unwrap_or("build.rs"));
}
