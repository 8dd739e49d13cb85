//! Pages in a real Chromium.

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use facts::Url;

use crate::{Document, Listed, RenderError, Rendered, Renderer, Settings, Supplied, Supplier, Touch, Wanted};

/// Answers from a table, and remembers what was asked.
#[derive(Default)]
struct Shelf {
    files: HashMap<&'static str, &'static str>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Supplier for Shelf {
    async fn supply(&self, wanted: Wanted) -> Option<Supplied> {
        self.asked.lock().unwrap().push(wanted.url.to_string());
        let body = self.files.get(wanted.url.path_and_query())?;
        let headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
        Some(Supplied { status: 200, headers, body: Bytes::from_static(body.as_bytes()) })
    }
}

fn page(html: &str) -> Document {
    let url = Url::parse("https://page.example/walk?x=1").unwrap();
    Document { url, content_type: Some("text/html; charset=utf-8".into()), body: Bytes::from(html.to_owned()) }
}

fn renderer() -> Renderer {
    Renderer::new(Settings { page_time: Duration::from_secs(30), tabs: 2, ..Settings::default() }).unwrap()
}

/// Pages that take all of the machine are not shown beside others.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// What was set off, state by state.
fn afters(rendered: &Rendered) -> Vec<&str> {
    rendered.states.iter().map(|state| state.after.split(['#', '|']).next().unwrap_or_default()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_state_of_a_page_is_found_once() {
    let _alone = ALONE.lock().await;
    let renderer = renderer();
    let shelf = Arc::new(Shelf {
        files: [("/more", "what was fetched"), ("/app.js", "show()")].into_iter().collect(),
        asked: Mutex::default(),
    });
    let alone = |html: &'static str| {
        let (renderer, shelf) = (&renderer, Arc::clone(&shelf));
        async move { renderer.render(page(html), &[], shelf).await.unwrap() }
    };

    let loaded = alone("<div id=root></div><script>function show(){setTimeout(() => root.textContent = 'made by a script', 200)}</script><script src=/app.js></script>").await;
    assert_eq!(afters(&loaded), ["load"]);
    assert!(loaded.states[0].html.contains(">made by a script</div>"), "{}", loaded.states[0].html);

    let tabs = alone(
        "<button>one</button><button>two</button><button>three</button><p id=out>nothing yet</p>
         <script>for (const b of document.querySelectorAll('button')) b.addEventListener('click', () => out.textContent = 'all about ' + b.textContent)</script>",
    ).await;
    assert_eq!(afters(&tabs), ["load", "click BUTTON", "click BUTTON", "click BUTTON"], "{tabs:?}");
    assert_eq!(tabs.states[2].html, "<div><p id=\"out\">all about two</p></div>", "only what is new");

    let fetched = alone(
        "<span onclick=\"fetch('/more').then(r => r.text()).then(t => out.append(t))\">more</span><p id=out></p>",
    )
    .await;
    assert!(fetched.states.len() == 2 && fetched.states[1].html.contains("what was fetched"), "{fetched:?}");

    let same = alone(
        "<p id=n>0</p><p id=c>12:00:00</p><p class=counter>many visits</p><button onclick='n.textContent++'>count</button>
         <button onclick='go()'>a</button><button onclick='go()'>b</button><p id=out></p>
         <script>function go(){out.textContent='the same'} setInterval(() => {c.textContent = new Date() + ''; document.querySelector('.counter').textContent = Math.random() + ' x'}, 20)</script>",
    ).await;
    assert_eq!(afters(&same), ["load", "click BUTTON"], "{same:?}");

    let hover = alone("<b id=x>picture</b><p id=out></p><script>x.addEventListener('mouseenter', () => out.innerHTML = '<img src=/big.jpg alt=big>')</script>").await;
    assert_eq!(afters(&hover), ["load", "hover B"], "{hover:?}");

    let endless = alone(
        "<div id=list><p style=height:2000px>start</div><script>let n=0; addEventListener('scroll', () => list.insertAdjacentHTML('beforeend', '<p style=height:900px>entry '+'i'.repeat(++n)))</script>",
    ).await;
    assert_eq!(endless.states.len(), 1 + Settings::default().scrolls, "{:?}", afters(&endless));

    let listed = [Listed { touches: vec![Touch::Click], sources: vec!["#no".into(), "button:nth-of-type(2)".into()] }];
    let html =
        "<button onclick='p.textContent=`one`'>1</button><button onclick='p.textContent=`two`'>2</button><p id=p></p>";
    let reported = renderer.render(page(html), &listed, shelf.clone()).await.unwrap();
    assert_eq!(reported.states.len(), 2);
    assert!(reported.states[1].html.contains(">two</p>") && reported.events <= 2, "{reported:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_never_left_and_where_it_wanted_to_go_is_a_link() {
    let _alone = ALONE.lock().await;
    let renderer = renderer();
    let html = "<a href=/real>real</a><form action=/send><button>send</button><input type=submit></form>
        <button onclick=\"location.href='/away'\">go</button><button onclick=\"window.open('/window')\">open</button>
        <button id=push onclick=\"history.pushState({}, '', '/pushed'); document.body.append('pushed text')\">push</button>
        <button onclick=\"alert('x'); document.body.append(confirm('y') ? 'yes' : 'no dialog stays')\">ask</button>
        <script>addEventListener('beforeunload', e => e.preventDefault()); setTimeout(() => location.replace('/at-once'), 50)</script>";
    let shelf = Arc::new(Shelf::default());
    let found = renderer.render(page(html), &[], shelf.clone()).await.unwrap();
    let mut leads: Vec<&str> = found.leads.iter().map(|lead| lead.path()).collect();
    leads.sort_unstable();
    leads.dedup();
    assert_eq!(leads, ["/at-once", "/away", "/pushed", "/window"], "{:?}", afters(&found));
    assert!(found.states.iter().any(|state| state.html.contains("no dialog stays")), "{:?}", afters(&found));
    assert!(!found.states.iter().any(|state| state.html.contains("pushed text</")), "{:?}", afters(&found));
    assert!(shelf.asked.lock().unwrap().is_empty(), "{:?}", shelf.asked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_pages_cost_their_time_and_nobody_elses_and_nothing_gets_out() {
    let _alone = ALONE.lock().await;
    let trap = TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let at = trap.local_addr().unwrap();
    let settings = Settings { page_time: Duration::from_secs(6), tabs: 4, ..Settings::default() };
    let renderer = Arc::new(Renderer::new(settings).unwrap());
    let shelf = Arc::new(Shelf::default());
    let pages = [
        ("loop", "<p>x<script>for(;;);</script>".to_owned()),
        ("memory", "<script>const a=[];for(;;)a.push(new Array(1e6).fill(Math.random()))</script>".into()),
        ("buffers", "<script>const a=[];for(;;){const b=new Uint8Array(1<<26);b.fill(1);a.push(b)}</script>".into()),
        ("dialogs", "<script>for(;;){alert(1);confirm(2);prompt(3)}</script>".into()),
        ("flood", "<p>flood<script>for(let i=0;i<5000;i++)fetch('/'+i).catch(()=>0)</script>".into()),
        ("nodes", "<script>for(;;)document.documentElement.append(document.createElement('div'))</script>".into()),
        (
            "ways out",
            format!(
                "<p>ways out<link rel=preconnect href=http://{at}/><link rel=dns-prefetch href=//{at}><link rel=prefetch href=http://{at}/a>
                 <link rel=preload as=script href=http://{at}/b><link rel=icon href=http://{at}/c><img src=http://{at}/d><iframe src=http://{at}/e></iframe>
                 <video src=http://{at}/f></video><object data=http://{at}/g></object><script src=http://{at}/h></script>
                 <script>fetch('http://{at}/i').catch(()=>0); new WebSocket('ws://{at}/j'); navigator.sendBeacon('http://{at}/k','x');
                 new EventSource('http://{at}/l'); fetch('http://{at}/m',{{method:'POST',body:'x',mode:'no-cors'}}).catch(()=>0);
                 new Worker(URL.createObjectURL(new Blob([`fetch('http://{at}/n');new WebSocket('ws://{at}/o')`])));
                 const f=document.createElement('iframe');document.body.append(f);f.contentWindow.fetch('http://{at}/p').catch(()=>0);
                 f.contentWindow.open('http://{at}/q');
                 try{{const r=new f.contentWindow.RTCPeerConnection({{iceServers:[{{urls:'stun:{at}'}}]}});r.createDataChannel('x');r.createOffer().then(o=>r.setLocalDescription(o))}}catch{{}}
                 </script><script type=speculationrules>{{\"prerender\":[{{\"urls\":[\"http://{at}/r\"]}}]}}</script>"
            ),
        ),
    ];
    let mut works = Vec::new();
    for (name, html) in pages {
        let (renderer, shelf) = (Arc::clone(&renderer), shelf.clone());
        works.push((
            name,
            tokio::spawn(async move {
                let started = Instant::now();
                (renderer.render(page(&html), &[], shelf).await, started.elapsed())
            }),
        ));
    }
    for (name, work) in works {
        let (found, took) = work.await.unwrap();
        let told = found.as_ref().map(afters).map_err(RenderError::reason);
        assert!(took < Duration::from_secs(30), "{name}: {told:?} after {took:?}");
        match name {
            "loop" => assert_eq!(told, Err("late"), "{name}"),
            // Which of the two is a matter of how busy the machine is.
            "memory" | "nodes" => assert!(matches!(told, Err("crashed" | "late")), "{name}: {told:?}"),
            "dialogs" | "buffers" | "flood" => {}
            _ => assert_eq!(told, Ok(vec!["load"]), "{name}: {found:?}"),
        }
    }
    let after = renderer.render(page("<p id=p></p><script>p.append('still here')</script>"), &[], shelf.clone()).await;
    assert!(after.unwrap().states[0].html.contains("still here"));
    assert_eq!(trap.accept().map(|(_, who)| who).map_err(|error| error.kind()), Err(std::io::ErrorKind::WouldBlock));
    let asked = shelf.asked.lock().unwrap();
    let passed: Vec<&String> = asked.iter().filter(|url| url.contains("127.0.0.1")).collect();
    assert!(passed.iter().all(|url| ["/b", "/h", "/i", "/n", "/p"].iter().any(|end| url.ends_with(end))), "{passed:?}");
    assert!(asked.iter().filter(|url| url.contains("page.example")).count() <= 150, "{}", asked.len());
}

#[test]
fn a_machine_without_chromium_says_so() {
    let said = RenderError::Missing.to_string();
    assert!(said.contains("apt-get install chromium") && said.contains("--chromium"), "{said}");
}
