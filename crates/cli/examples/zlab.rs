//! Temporary.
use lab::{Asked, Settings, Web};
use std::collections::BTreeMap;
fn main() {
    let number: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let web = Web::new(Settings { number, hosts: 60, pages: 1500, photo_bytes_scale: 0.02, ..Settings::default() });
    let f = web.focus();
    let region = geo::Region::around(facts::LatLon::new(f.lat, f.lon).unwrap(), 15.0);
    let (mut tp, mut fp, mut fnn, mut tn) = (0, 0, 0, 0);
    let (mut addr, mut addr_found) = (0, 0);
    let (mut about_right, mut about_none, mut about_wrong) = (0, 0, 0);
    let mut missed: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut shown = 0;
    let (mut med, mut med_desc, mut med_struct, mut med_right) = (0, 0, 0, 0);
    let mut secs = 0.0; let mut bytes = 0;
    for (id, _) in web.walk() {
        let url = web.url_of(id).unwrap();
        let truth = web.truth(&url).unwrap().page.unwrap();
        let answer = web.answer(&Asked::get(&url));
        if answer.status != 200 { continue; }
        let page = page::read(&answer.body, Some("text/html; charset=utf-8"), &url, &page::Limits::default());
        let t = std::time::Instant::now();
        let about = geo::about(&page, &geo::Hints { region: Some(&region), ..Default::default() }, geo::Granularity::Address);
        secs += t.elapsed().as_secs_f64(); bytes += page.text.len();
        match (truth.relevant, about.relevant) { (true, true) => tp += 1, (false, true) => { fp += 1; if shown < 5 { shown += 1; println!("FP {url} {:?}", about.places.iter().filter(|p| p.relevant).map(|p| (&p.words, &p.mention.why)).collect::<Vec<_>>()); } }, (true, false) => { fnn += 1; println!("FN {url} {:?}", truth.places.iter().map(|p| &p.line).collect::<Vec<_>>()); }, _ => tn += 1 }
        for place in &truth.places {
            let here = facts::LatLon::new(place.lat, place.lon).unwrap();
            let ok = about.places.iter().any(|p| p.mention.is_exact() && geo::kilometres(p.mention.at, here) < 15.0);
            addr += 1; addr_found += usize::from(ok);
            let e = missed.entry(place.country.clone()).or_default();
            e.0 += u32::from(ok); e.1 += 1;
            if !ok && e.1 - e.0 <= 2 { println!("MISSED {url}: {} | {:?}", place.line, about.places.iter().map(|p| (&p.words, p.mention.kind.as_str())).take(6).collect::<Vec<_>>()); }
        }
        let town = |i: usize| { let w = geo::whereabouts(&about.places[i].mention, ""); w.locality.town };
        let truth_at = geo::Gazetteer::embedded().named(truth.about).first().map(|p| p.at());
        match about.focus { None => about_none += 1, Some(i) => {
            let near = truth.places.iter().any(|p| geo::kilometres(facts::LatLon::new(p.lat,p.lon).unwrap(), about.places[i].mention.at) < 20.0) || geo::Gazetteer::embedded().named(truth.about).iter().any(|p| geo::kilometres(p.at(), about.places[i].mention.at) < 20.0);
            if near { about_right += 1 } else { about_wrong += 1; if about_wrong < 8 { println!("FOCUS {url} truth {} got {:?} {:?} title {}", truth.about, about.places[i].words, town(i), page.title); } } } }
        let _ = truth_at;
        for (m, w) in page.media.iter().zip(&about.media) {
            med += 1;
            if let Some(d) = &w.description { med_desc += 1; if geo::Gazetteer::embedded().named(truth.about).iter().any(|p| geo::kilometres(p.at(), d.at) < 20.0) { med_right += 1 } else if med_desc % 40 == 1 { println!("DESC {url} truth {} {:?} -> {:?}", truth.about, m.description(), d.locality.place); } }
            med_struct += usize::from(w.structured.is_some());
        }
    }
    println!("relevance tp {tp} fp {fp} fn {fnn} tn {tn}; addresses {addr_found}/{addr} {missed:?}; focus right {about_right} none {about_none} wrong {about_wrong}; media {med} described {med_desc} right {med_right} structured {med_struct}; {:.1} MB/s text", bytes as f64 / 1e6 / secs);
}
