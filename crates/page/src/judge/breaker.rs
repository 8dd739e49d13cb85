//! Broken pages made of whole ones.

/// What is put into pages: each of these does something in some rule.
const PIECES: &[&str] = &[
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<i class=x>",
    "</i>",
    "<a href=x>",
    "</a>",
    "<div>",
    "</div>",
    "<li>",
    "</ul>",
    "<select>",
    "<option>",
    "</select>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "<template>",
    "</template>",
    "<form>",
    "</form>",
    "<button>",
    "<h1>",
    "</h2>",
    "<body x=y>",
    "</body>",
    "</html>",
    "<html lang=en>",
    "<head>",
    "</head>",
    "<title>",
    "<textarea>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<style>",
    "</style>",
    "<caption>",
    "<col>",
    "<colgroup>",
    "<tbody>",
    "</tbody>",
    "<th>",
    "<foreignObject>",
    "<desc>",
    "<nobr>",
    "<object>",
    "</object>",
    "<pre>\n",
    "<dd>",
    "<dt>",
    "<ruby>",
    "<rt>",
    "<input type=hidden>",
    "<input>",
    "<hr>",
    "<br/>",
    "</br>",
    "<img src=q>",
    "<image>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "<frameset>",
    "<font color=x>",
    "<![CDATA[x]]>",
    "&amp",
    "&notit;",
    "&#x41",
    "<",
    ">",
    "\"",
    "'",
    "=",
    "/",
    "\r\n",
    "<x-y>",
    "</x-y>",
    "<A HREF=Z>",
    "<?x>",
    "</ >",
    "<applet>",
    "<marquee>",
    "<center>",
    "<em>",
    "<strong>",
    "</em>",
    "</h1>",
    "<thead>",
    "<base href=/k/>",
    "<annotation-xml encoding=text/html>",
    "</math>",
    "<optgroup>",
    "<xmp>",
    "<noframes>",
    "<meta>",
    "<link>",
];

/// Breaks pages, each time in another way, the same ways for one seed.
#[derive(Clone, Debug)]
pub struct Breaker(u64);

impl Breaker {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A page of pieces that mean something to the rules, one after the other.
    pub fn heap(&mut self, pieces: usize) -> String {
        (0..pieces).map(|_| if self.below(4) == 0 { "x " } else { PIECES[self.below(PIECES.len())] }).collect()
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// A copy with a few things broken. Long pages are cut, so that what is broken matters.
    pub fn broken(&mut self, text: &str) -> String {
        let longest = 2_000 + self.below(30_000);
        let start = if text.len() > longest && self.below(2) == 0 { self.below(text.len() - longest) } else { 0 };
        let start = text.floor_char_boundary(start);
        let mut out = text[start..text.floor_char_boundary((start + longest).min(text.len()))].to_owned();
        for _ in 0..1 + self.below(12) {
            // Near a tag, as often as not.
            let mut at = self.below(out.len() + 1);
            if self.below(3) > 0 {
                let near = out.floor_char_boundary(at);
                at = out[near..].find(['<', '>']).map_or(at, |found| near + found + self.below(2));
            }
            let at = out.floor_char_boundary(at);
            let end = out.ceil_char_boundary((at + 1 + self.below(12)).min(out.len()));
            match self.below(6) {
                0 => out.replace_range(at..end, ""),
                1 => {
                    let piece = out[at..end].to_owned();
                    out.insert_str(at, &piece);
                }
                // A whole tag is lost.
                2 => {
                    let end = out[at..].find('>').map_or(end, |found| at + found + 1);
                    out.replace_range(at..end, "");
                }
                _ => {
                    for _ in 0..1 + self.below(3) {
                        out.insert_str(at, PIECES[self.below(PIECES.len())]);
                    }
                }
            }
        }
        out
    }
}
