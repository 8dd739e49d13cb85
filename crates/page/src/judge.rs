//! Whether the quick parser says the same of a page as html5ever does.
//!
//! For tests and for the example of the same name; nothing else needs it.

mod breaker;

use std::fmt::Write;

use facts::Url;

pub use self::breaker::Breaker;
use crate::dom::{Descend, Dom, Step};
use crate::{Limits, Page, guard, quick, reader};

/// What came of comparing two readings of one page.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Whether the quick parser left the page to html5ever; then there is nothing to compare.
    pub left: bool,
    /// Elements and texts in html5ever's tree.
    pub nodes: usize,
    /// Those that are elsewhere, missing, or different in name, attributes or words.
    pub differing: usize,
    /// The first that is different, in both readings; or what the pages made of equal trees say.
    pub first: Option<String>,
}

/// Parses a page twice and compares all that is in the trees, and then the pages read from them.
pub fn compare(text: &str, limits: &Limits) -> Verdict {
    let Some(quick) = quick::parse(text, limits.depth, limits.nodes) else {
        return Verdict { left: true, ..Verdict::default() };
    };
    let (standard, hit) = guard::untamed(text, limits.depth, limits.nodes);
    let (a, b) = (flat(&quick), flat(&standard));
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let mut differing = a.len().max(b.len()) - start - end;
    let mut first = None;
    if differing > 0 {
        let line = |list: &[String]| list.get(start).cloned().unwrap_or_default();
        first = Some(format!("node {start}: quick {:?}, html5ever {:?}", line(&a), line(&b)));
    } else if hit || quick.len() != standard.len() {
        (differing, first) = (1, Some(format!("nodes: quick {}, html5ever {}", quick.len(), standard.len())));
    } else if let Ok(url) = Url::parse("https://www.example.org/a/b") {
        let (a, b) = (reader::read_tree(&quick, &url, limits), reader::read_tree(&standard, &url, limits));
        if said(&a) != said(&b) || a.words() != b.words() {
            (differing, first) = (b.tree.len(), Some("the pages differ though the trees do not".into()));
        }
    }
    Verdict { left: false, nodes: b.len(), differing, first }
}

/// Only makes the tree of a page, and says how many nodes it has: for measuring.
pub fn plant(text: &str, limits: &Limits, quickly: bool) -> usize {
    if quickly {
        guard::parse(text, limits.depth, limits.nodes).0.len()
    } else {
        guard::by_the_standard(text, limits.depth, limits.nodes).0.len()
    }
}

/// A line for each element and text: how deep, what, with which attributes.
fn flat(dom: &Dom<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut depth = 0;
    dom.walk(|_, step| {
        match step {
            Step::Enter(element) => {
                let mut line = format!("{depth} <{} {:?}", element.spelled(), element.space());
                for (name, value) in element.spelled_attributes() {
                    let _ = write!(line, " {name}={value:?}");
                }
                lines.push(line);
                depth += 1;
            }
            Step::Text(text) => lines.push(format!("{depth} {text:?}")),
            Step::Leave => depth -= 1,
        }
        Descend::Yes
    });
    lines
}

fn said(page: &Page) -> String {
    let Page { url: _, charset: _, counted: _, base, title, title_node, description, keywords, language, .. } = page;
    let Page { text, runs, links, fragments, media, structured, malformed_structured, canonical, .. } = page;
    let Page { robots, feeds, refresh, tree, truncated, .. } = page;
    let head = (base, title, title_node, description, keywords, language, canonical, robots, feeds, refresh);
    format!("{head:?} {:?}", (text, runs, links, fragments, media, structured, malformed_structured, tree, truncated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clip;

    fn same(text: &str) -> Verdict {
        let verdict = compare(text, &Limits::default());
        assert!(verdict.differing == 0, "{}\n{text}", verdict.first.unwrap_or_default());
        verdict
    }

    /// Pages that each ask for one rule of the standard.
    const RULES: &[&str] = &[
        "",
        " \n",
        "just words",
        "<!doctype html><title>t</title><p>one<p>two<div>three<p>four</div>five",
        "<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>x<dd>y<dt>z</dl>",
        "<p><b>bold<p>still bold</b> not<i>it<b>both</i>only b</b>",
        "<a href=1>one<a href=2>two<div>three</a>four</div>",
        "<b><i><u><s><em><strong><div>deep</b>x</div>y",
        "<b class=a><b class=a><b class=a><b class=a>x<p>y</p></b></b></b></b><p>z",
        "<table>lost<tr><td>in<b>side</td><td>next</table>after",
        "<table><tr>lost<b>bold<td>x</table>y",
        "<table> <caption>c<p>d</caption><col><col><tbody><tr><th>h<td>d<tfoot><tr><td>f</table>",
        "<table><td>x<table><tr><td>inner</table>y</table>",
        "<table><tr><td><form><input type=hidden></td></form><input></table>",
        "<table><form><tr><td>x</form></table><form>y",
        "<table><input type=hidden><input type=text><select><option>o</table>",
        "<p>para<table><tr><td>x</table>",
        "<!doctype html><p>para<table><tr><td>x</table>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'><p>x<table><td>y</table>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN' 'http://www.w3.org/TR/html4/loose.dtd'><p><table>",
        "<select><option>a<option>b<optgroup label=x><option>c<hr><p>q</select>d<option>e<option>f",
        "<select><select><input><button>x<button>y</select>",
        "<svg><g/><title>t<p>u</title><foreignObject><div>v</div></foreignObject><p>out",
        "<svg viewBox='0 0 1 1' xlink:href=#a><a xlink:href=b><font>x<font color=y>z</svg>w",
        "<math><mi>x<p>y</mi><mtext><b>z</mtext><annotation-xml encoding=text/HTML><div>q</div></annotation-xml></math>",
        "<math><annotation-xml><svg><desc>d</desc></svg><div>e</math>",
        "<svg><script>a<b</script><style><c></style><![CDATA[ d < e ]]></svg><![CDATA[no]]>",
        "<template><tr><td>x</template><div><template><p>y<template>z</template></template>w</div>",
        "<head><template><div>x</head></template><body>y",
        "<template><col><td>x</td></template><table><template><caption></template><tr>",
        "<head><noscript><link rel=x><p>y</noscript>z",
        "<body><noscript><img src=x><p>y</noscript>z",
        "<title>a &amp; <b> </titl> &lt;</TITLE >b<textarea>\n\nx</p></textarea>",
        "<script>if (a < b) '<!-- <script> </script> --></script>x",
        "<script><!-- <script>a</script> b --></script>c<script><!--></script>d<script><!--->e</script>f",
        "<style><p></style ><xmp><b></xmp><iframe><i></iframe><noembed><u></noembed><noframes><s></noframes>",
        "<pre>\n\nx</pre><listing>\ny</listing><pre><!-- c -->\nz</pre>",
        "a<!-- b --><!----><!--> c <!---> d <!-- e --!> f <!-- g -- > h --> i <!x> j <?y> k </ z> l </> m <!- n",
        "a <b c=d e='f' g=\"h\" i j = k l=m/ / n=o c=p C=q =r s==t u=&amp;&lt v=&ampx w='&copy=1' x=>y",
        "<DIV CLASS=A Id=B dAtA-X=C>x</dIv><x-Y Z=1>a</X-y>",
        "&amp;&AMP;&amp &ampx &notit; &notin; &#65;&#x41;&#X41 &#0;&#128;&#xD800;&#1114112;&; &# &#x; & &unknown; &nGt;",
        "<html a=1><head b=2><body c=3><html a=4 d=5><body c=6 e=7><head f=8>x</body>y</html>z<p>w",
        "x</body> </html> <!-- c --> y",
        "<p>a</body><p>b</html><title>t</title>",
        "</p>x</br>y</div>z</li></h1></b></table></svg><image src=x><img src=y>",
        "<h1>a<h2>b</h3>c<h1><h2>d",
        "<button>a<p>b<button>c</button>d</button>e<nobr>f<nobr>g</nobr>",
        "<object><p>a<param><b>b</object>c<marquee>d</applet>e</marquee>",
        "<ruby>a<rb>b<rt>c<rtc>d<rp>e<rt>f</ruby>",
        "<form><p>a</form>b<form>c<form>d<div></form>e</div>",
        "<address><p><li>a<div><li>b<dd>c<span><dd>d",
        "<p><svg><p>x<math><p>y",
        "text\r\nlines\rof <a title='two\r\nlines'>all</a>\r<pre>\r\nkinds</pre>",
        "\u{feff}marked<script></script>\u{feff}again<meta charset=utf-8>\u{feff}more",
        "unfinished <a href='x",
        "unfinished <b",
        "unfinished </",
        "unfinished <",
        "unfinished <!--",
        "unfinished <!doctype",
        "unfinished <title>x</titl",
        "unfinished <title>x</title ",
        "unfinished &am",
        "<base href=/a/><base href=/b/><a href=x>y</a>",
        "<plaintext>a<b>c",
        "<frameset><frame src=a></frameset>",
        "<p><frameset>x",
        "nul\0nul",
        "<col><tr><td><frame><caption>x</tbody></td>",
        "<div><a><b><div></a><p></b><i></div><a><div></i></a>",
    ];

    #[test]
    fn each_rule_of_the_standard_gives_the_tree_html5ever_makes() {
        let left = RULES.iter().filter(|page| same(page).left).count();
        // Null characters, frames and plain text.
        assert_eq!(left, 4);
    }

    #[test]
    fn rules_after_each_other_give_the_tree_html5ever_makes() {
        for a in RULES {
            for b in RULES {
                same(&format!("{a}{b}"));
            }
        }
    }

    #[test]
    fn broken_pages_give_the_trees_html5ever_makes() {
        let mut breaker = Breaker::new(7);
        let pages = [
            include_str!("../tests/pages/article.html"),
            include_str!("../tests/pages/gallery.html"),
            include_str!("../tests/pages/restaurant.html"),
            include_str!("../tests/pages/broken.html"),
        ];
        let (mut nodes, mut left) = (0, 0);
        for turn in 0..600 {
            let page = breaker.broken(pages[turn % pages.len()]);
            let heap = breaker.heap(5 + turn % 60);
            for page in [page, heap] {
                let verdict = same(&page);
                nodes += verdict.nodes;
                left += usize::from(verdict.left);
            }
        }
        assert!(nodes > 20_000, "{nodes}");
        assert!(left < 200, "{left}");
    }

    #[test]
    fn noise_is_a_page_too() {
        let mut breaker = Breaker::new(11);
        const LETTERS: &[u8] = b"<>/!-='\"& \nabpt[]?;#x1\x0C\xc3\xa4\xff";
        for length in 0..1500 {
            let noise: Vec<u8> = (0..length % 300).map(|_| LETTERS[breaker.below(LETTERS.len())]).collect();
            same(&String::from_utf8_lossy(&noise));
        }
    }

    #[test]
    fn limits_are_those_of_html5ever() {
        let deep = "<div>".repeat(600);
        assert!(compare(&deep, &Limits::default()).left);
        let many = "<p>x".repeat(50);
        let limits = Limits { nodes: 60, ..Limits::default() };
        assert!(compare(&many, &limits).left);
        let attributes: String = (0..300).map(|i| format!(" a{i}=1")).collect();
        assert!(compare(&format!("<p{attributes}>"), &Limits::default()).left);
        // Text that is added to from afar is not copied again and again.
        let moved = format!("<table>{}", "<tr>&amp;<td>&lt;</td>".repeat(20_000));
        same(&moved);
    }
    #[test]
    fn the_list_of_formatting_elements_ends_for_both_parsers() {
        let many = |piece: &dyn Fn(usize) -> String| (0..6_000).map(piece).collect::<String>();
        for page in [
            format!("<table><tr>{}", "<td><object></td>".repeat(6_000)),
            format!("<table><tr>{}", "<td><marquee><applet></td>".repeat(3_000)),
            "<table><object></table>".repeat(6_000),
            "<template><td></template>".repeat(6_000),
            format!("<div>{}", many(&|i| format!("<object><b id={i}></div>"))),
            many(&|i| format!("<template><table><td><b id={i}></template>")),
            // Few markers, and much between them.
            format!(
                "<table><tr><td>{}",
                many(&|i| format!("<b id={i}><i id={i}>{}", if i % 100 == 99 { "<object></td><td>" } else { "" }))
            ),
        ] {
            assert!(compare(&page, &Limits::default()).left, "{}", clip(&page, 60));
            assert!(guard::untamed(&page, 512, 400_000).1, "{}", clip(&page, 60));
        }
    }

    #[test]
    fn long_tables_and_many_links_are_within_the_limits_of_both_parsers() {
        for page in [
            format!("<table>{}", "<tr><td><b>x</b><td><a href=y>z</a><th><i>w".repeat(3_000)),
            format!("<table>{}</table>", "<tr><td><object>x</object></td><th></th></tr>".repeat(3_000)),
            "<table><caption>a<tr><td><table><tr><td>b</table></table>".repeat(3_000),
            "<template><p>a</template><table><td>b</table>".repeat(3_000),
            "<p><a href=x>y</a> <b>z</b>".repeat(10_000),
            "<p><nobr>x<a>y".repeat(5_000),
        ] {
            assert!(!same(&page).left, "{}", clip(&page, 60));
        }
    }
}
