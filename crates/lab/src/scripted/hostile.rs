//! Pages that mean harm to the browser that shows them, or to those behind it.

use crate::host::DOMAIN;

pub(super) fn host() -> String {
    format!("hostile.{DOMAIN}")
}

/// What each of them tries.
pub(super) const NAMES: &[&str] = &[
    "allocate",
    "crash",
    "loop",
    "nodes",
    "dialogs",
    "away",
    "reload",
    "sockets",
    "private",
    "frames",
    "workers",
    "windows",
    "forms",
    "flood",
    "endless",
    "history",
    "worker-loop",
    "deep",
];

/// A page; `at` is an address of this machine that nobody but the server's own clients should reach.
pub(super) fn page(name: &str, at: &str) -> Option<String> {
    if name.is_empty() {
        let links: String = NAMES.iter().map(|name| format!("<li><a href=\"/{name}\">{name}</a></li>\n")).collect();
        return Some(format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><title>Harm</title><h1>Harm</h1><ul>\n{links}</ul>\n"
        ));
    }
    let body = match name {
        "allocate" => "<script>const a = []; for (;;) { const b = new Uint8Array(1 << 26); b.fill(1); a.push(b); }</script>",
        "crash" => "<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()));</script>",
        "loop" => "<script>for (;;);</script>",
        "nodes" => "<script>for (;;) document.documentElement.append(document.createElement('div'));</script>",
        "dialogs" => "<script>for (;;) { alert('a'); confirm('b'); prompt('c'); print(); }</script>",
        "away" => {
            "<script>onbeforeunload = () => 'stay'; location.href = 'http://AT/away'; setInterval(() => location.assign('http://AT/later'), 50);</script>
             <meta http-equiv=refresh content='1; url=http://AT/refresh'>"
        }
        "reload" => "<script>location.reload(); setInterval(() => location.reload(), 100);</script>",
        "sockets" => {
            "<script>for (let i = 0; i < 20; i++) new WebSocket('ws://AT/socket' + i); new EventSource('http://AT/events');
             try { new WebTransport('https://AT/transport'); } catch {}
             try { const f = document.createElement('iframe'); document.body.append(f); const C = f.contentWindow.RTCPeerConnection || RTCPeerConnection;
               const c = new C({ iceServers: [{ urls: 'stun:AT' }] }); c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)); } catch {}</script>"
        }
        "private" => {
            "<link rel=preconnect href=http://AT/><link rel=dns-prefetch href=//AT><link rel=prefetch href=http://AT/prefetch><link rel=preload as=script href=http://AT/preload>
             <link rel=stylesheet href=http://AT/style.css><link rel=icon href=http://AT/icon><script src=http://AT/script.js></script>
             <video src=http://AT/film.mp4></video><object data=http://AT/object></object><div style='background:url(http://AT/background.png)'>x</div>
             <script>fetch('http://AT/fetch').catch(() => 0); fetch('http://169.254.169.254/latest/meta-data').catch(() => 0); fetch('http://[::1]:80/').catch(() => 0);
             fetch('http://AT/post', { method: 'POST', body: 'x', mode: 'no-cors' }).catch(() => 0); navigator.sendBeacon('http://AT/beacon', 'x');
             fetch('/private/mine').catch(() => 0);
             const x = new XMLHttpRequest(); x.open('GET', 'http://AT/xhr'); x.send();</script>
             <script type=speculationrules>{ \"prerender\": [{ \"urls\": [\"http://AT/prerender\"] }], \"prefetch\": [{ \"urls\": [\"http://AT/speculate\"] }] }</script>"
        }
        "frames" => "<iframe src=http://AT/frame></iframe><iframe srcdoc='<script>fetch(`http://AT/inner`)</script>'></iframe><embed src=http://AT/embed>",
        "workers" => {
            "<script>const code = `fetch('http://AT/worker'); new WebSocket('ws://AT/worker'); importScripts('http://AT/import.js')`;
             new Worker(URL.createObjectURL(new Blob([code]))); try { new SharedWorker(URL.createObjectURL(new Blob([code]))); } catch {}
             try { navigator.serviceWorker.register('/worker.js'); } catch {}</script>"
        }
        "windows" => {
            "<button onclick=\"open('http://AT/window')\">Open</button><a href=http://AT/target target=_blank>Away</a><a id=file href='data:application/octet-stream,x' download=x>File</a>
             <script>for (let i = 0; i < 20; i++) open('http://AT/w' + i); document.getElementById('file').click();</script>"
        }
        "forms" => {
            "<form action=http://AT/form method=post><input name=a value=b><button>Send</button><input type=submit value=Send></form>
             <script>document.forms[0].submit(); document.forms[0].requestSubmit(); document.querySelector('button').click();</script>"
        }
        "flood" => "<script>for (let i = 0; i < 3000; i++) fetch('/flood/' + i).catch(() => 0);</script>",
        "endless" => {
            "<p style='height: 2000px'>Start</p><script>let n = 0; addEventListener('scroll', () => document.body.insertAdjacentHTML('beforeend', `<p style='height: 900px'>Entry ${'i'.repeat(++n)}`));</script>"
        }
        "history" => "<script>for (let i = 0; ; i++) { try { history.pushState({}, '', '/pushed/' + i); } catch {} }</script>",
        "worker-loop" => "<script>for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])));</script>",
        "deep" => "<script>let e = document.body; for (let i = 0; i < 50000; i++) e = e.appendChild(document.createElement('div')); e.append('deep');</script>",
        _ => return None,
    };
    let body = body.replace("AT", at);
    Some(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Harm: {name}</title></head><body><h1>What {name} does</h1>\n{body}\n</body></html>\n"
    ))
}
