//! Whether a document type asks for the ways of old browsers. Of these only one touches the tree: a
//! table does not end a paragraph.

/// Public identifiers that start so are of old pages.
const OLD: &[&str] = &[
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

/// These are of old pages unless a system identifier comes with them.
const OLD_ALONE: &[&str] = &["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

/// These are of old pages when they stand so in full.
const OLD_IN_FULL: &[&str] = &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

const OLD_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Looks at what stands between `<!doctype` and `>`. `ended` says whether there was a `>`.
pub(super) fn is_old(inside: &str, ended: bool) -> bool {
    let inside = inside.to_ascii_lowercase();
    let rest = inside.trim_start_matches(is_space);
    let (name, rest) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
    if name != "html" || !ended {
        return true;
    }
    let rest = rest.trim_start_matches(is_space);
    if rest.is_empty() {
        return false;
    }
    let (public, system) = if let Some(rest) = rest.strip_prefix("public") {
        let Some((public, rest)) = quoted(rest) else { return true };
        let rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            (Some(public), None)
        } else {
            let Some((system, _)) = quoted(rest) else { return true };
            (Some(public), Some(system))
        }
    } else if let Some(rest) = rest.strip_prefix("system") {
        let Some((system, _)) = quoted(rest) else { return true };
        (None, Some(system))
    } else {
        return true;
    };
    if system == Some(OLD_SYSTEM) {
        return true;
    }
    public.is_some_and(|public| {
        OLD_IN_FULL.contains(&public)
            || OLD.iter().any(|old| public.starts_with(old))
            || (system.is_none() && OLD_ALONE.iter().any(|old| public.starts_with(old)))
    })
}

fn quoted(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start_matches(is_space);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0C')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_pages_are_told_by_their_type() {
        for (inside, old) in [
            (" html", false),
            ("HTML ", false),
            ("", true),
            (" svg", true),
            (" html system 'about:legacy-compat'", false),
            (" html public \"-//W3C//DTD HTML 4.01 Transitional//EN\"", true),
            (" HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"http://www.w3.org/TR/html4/loose.dtd\"", false),
            (" HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\"", true),
            (" html public", true),
            (" html public \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\"", false),
            (" html nonsense", true),
        ] {
            assert_eq!(is_old(inside, true), old, "{inside}");
        }
        assert!(is_old(" html", false));
    }
}
