//! Temporary.
use std::io::BufRead;
fn main() {
    let lang: Option<String> = std::env::args().nth(1);
    for line in std::io::stdin().lock().lines() {
        let d: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = d["text"].as_str().unwrap();
        let ms = geo::parse(text, &geo::Hints { language: lang.as_deref(), ..Default::default() });
        let out: Vec<serde_json::Value> = ms.iter().map(|m| serde_json::json!({"text": &text[m.span.clone()], "kind": m.kind.as_str(), "confidence": (m.confidence*1000.0).round()/1000.0, "why": m.why,
            "address": m.address.as_ref().map(|a| a.to_string()),
            "place": {"name": m.place.map_or("", |p| p.name()), "admin1": m.place.and_then(|p| p.admin1()).map(|p| p.name()), "country": m.place.and_then(|p| p.country()).map(|c| c.code()), "lat": m.at.lat(), "lon": m.at.lon()}})).collect();
        println!("{}", serde_json::json!({"id": d["id"], "mentions": out}));
    }
}
