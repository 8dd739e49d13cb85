//! The pages of a scripted site, and what is loaded into them.

use crate::dice::Dice;
use crate::tongue::{TOPICS, Tongue};

use super::{PICTURES, mark, picture, url};

/// A kind of page.
pub(super) struct Kind {
    pub name: &'static str,
    /// States of one of them, over all its addresses.
    pub states: usize,
    /// Addresses that one has.
    pub pages: usize,
    script: &'static str,
}

/// The kinds there are. Scripts get `load(k)`, which fetches the part of state *k*, and `$`, which finds an
/// element.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "tabs",
        states: 5,
        pages: 1,
        script: "document.body.insertAdjacentHTML('afterbegin', '<ul id=bar>' + [0,1,2,3,4].map(k => `<li role=tab>Part ${k + 1}</li>`).join('') + '</ul>');
            document.querySelectorAll('#bar li').forEach((tab, k) => tab.addEventListener('click', async () => $('#out').innerHTML = await load(k)));
            load(0).then(part => $('#out').innerHTML = part);",
    },
    Kind {
        name: "more",
        states: 5,
        pages: 1,
        script: "let next = 0;
            const more = async () => { const part = await load(next++); $('#out').insertAdjacentHTML('beforeend', part); if (next == 5) $('#more').remove(); };
            document.body.insertAdjacentHTML('beforeend', '<button id=more>Show more</button>'); $('#more').onclick = more; more();",
    },
    Kind {
        name: "hover",
        states: 5,
        pages: 1,
        script: "for (let k = 1; k < 5; k++) {
                const word = document.createElement('b'); word.textContent = 'Look at part ' + 'abcde'[k]; document.body.append(word);
                word.addEventListener('mouseover', async () => { $('#out').innerHTML = await load(k); });
            }
            load(0).then(part => $('#out').innerHTML = part);",
    },
    Kind {
        name: "scroll",
        states: 5,
        pages: 1,
        script: "document.body.insertAdjacentHTML('beforeend', '<style>figure { min-height: 900px }</style><p id=end>…</p>');
            let next = 0, busy = false;
            new IntersectionObserver(async seen => {
                if (busy || next >= 5 || !seen.some(one => one.isIntersecting)) return;
                busy = true; $('#out').insertAdjacentHTML('beforeend', await load(next++)); busy = false;
            }).observe($('#end'));",
    },
    Kind {
        name: "app",
        states: 5,
        pages: 5,
        script: "",
    },
    Kind {
        name: "same",
        states: 2,
        pages: 1,
        script: "document.body.insertAdjacentHTML('beforeend', '<p id=clock></p><p class=counter></p><div class=ad-banner></div><button>Open</button> <button>Unfold</button> <a href=\"#open\">Show</a>');
            document.querySelectorAll('button, a').forEach(button => button.addEventListener('click', async () => $('#out').innerHTML = await load(1)));
            setInterval(() => { $('#clock').textContent = 'It is ' + new Date(); $('.counter').textContent = Math.random() + ' so far'; $('.ad-banner').textContent = 'Buy ' + Math.random().toString(36); }, 30);
            fetch('/private/counter').catch(() => 0);
            load(0).then(part => $('#out').innerHTML = part);",
    },
    Kind {
        name: "double",
        states: 2,
        pages: 1,
        script: "$('h1').addEventListener('dblclick', async () => $('#out').innerHTML = await load(1)); load(0).then(part => $('#out').innerHTML = part);",
    },
    Kind {
        name: "late",
        states: 1,
        pages: 1,
        script: "setTimeout(() => load(0).then(part => setTimeout(() => $('#out').innerHTML = part, 200)), 400);",
    },
];

/// An application that has an address for each of its views.
pub(super) const APP: &str = r#"const root = document.getElementById('root');
const home = '/app/';
const at = () => { const view = location.pathname.slice(home.length).match(/^view\/(\d)$/); return view ? +view[1] : 0; };
const show = async () => {
  const part = await (await fetch(`/part/app/${at()}`)).text();
  root.innerHTML = '<nav>' + [0, 1, 2, 3, 4].map(k => `<button data-to="${k ? home + 'view/' + k : home}">View ${'abcde'[k]}</button>`).join('') + '</nav>' + part;
};
root.addEventListener('click', event => {
  const to = event.target.dataset.to;
  if (to) { history.pushState({}, '', to); show(); }
});
addEventListener('popstate', show);
show();
"#;

impl Kind {
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// The path of the page that has a state.
    pub fn page_of(&self, k: usize) -> String {
        match (self.pages > 1, k) {
            (true, 1..) => format!("/{}/view/{k}", self.name),
            _ => format!("/{}/", self.name),
        }
    }

    /// The page as it is sent: with next to nothing in it.
    pub fn html(&self) -> String {
        let name = self.name;
        if name == "app" {
            return "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Application</title></head><body><div id=\"root\"></div>\
                    <script src=\"/app.js\"></script></body></html>\n"
                .into();
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{name}</title></head><body><h1>A page of {name}</h1><div id=\"out\"></div>\n\
             <script>const $ = name => document.querySelector(name);\nconst load = async k => (await fetch(`/part/{name}/${{k}}`)).text();\n{}\n</script></body></html>\n",
            self.script
        )
    }
}

/// What is loaded for a state: pictures, a sentence or two, and its mark.
pub(super) fn part(kind: &Kind, n: usize, k: usize) -> String {
    let mut dice = Dice::new(1, kind.name, [n as u64, k as u64]);
    let english = Tongue::of("en");
    let mut text = String::new();
    for _ in 0..3 {
        let topic = dice.below(TOPICS);
        english.sentence(&mut dice, &[topic], None, &mut text);
        text.push(' ');
    }
    let figures: String = (0..PICTURES)
        .map(|p| {
            let (source, noun) = (picture(kind.name, k, p), english.noun(dice.below(TOPICS)));
            format!("<figure><img src=\"{source}\" alt=\"{noun}\"><figcaption>The {noun} of state {k}</figcaption></figure>\n")
        })
        .collect();
    format!("<section><p>{text}{}</p>\n{figures}</section>\n", mark(kind.name, n, k))
}

/// Links to all pages but those that only an application leads to.
pub(super) fn index(sites: usize) -> String {
    let links: String = (0..sites)
        .flat_map(|n| KINDS.iter().map(move |kind| (kind, n)))
        .map(|(kind, n)| format!("<li><a href=\"{}\">{} {n}</a></li>\n", url(n, &kind.page_of(0)), kind.name))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Scripted pages</title></head><body><h1>Pages that scripts make</h1>\n<ul>\n{links}</ul></body></html>\n"
    )
}
