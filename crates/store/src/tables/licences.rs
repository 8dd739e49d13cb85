//! Which licences let everyone use a work.

/// Whether a licence, by name or address, is one of Creative Commons or the public domain.
pub(super) fn is_open(licence: &str) -> bool {
    let text = licence.to_lowercase();
    let named = ["creativecommons.org/", "creative commons", "public domain", "publicdomain", "gemeinfrei", "cc0"];
    if named.iter().any(|name| text.contains(name)) {
        return true;
    }
    // `CC BY-SA 4.0`, `cc-by`, `CC_BY_NC`: but not every word that ends in these letters.
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| matches!(pair, ["cc", "by" | "zero" | "pd" | "0"]))
}

#[cfg(test)]
mod tests {
    use super::is_open;

    #[test]
    fn creative_commons_and_the_public_domain_are_open() {
        for (licence, open) in [
            ("https://creativecommons.org/licenses/by-sa/4.0/", true),
            ("http://creativecommons.org/publicdomain/zero/1.0/", true),
            ("CC BY-NC 2.0", true),
            ("cc-by-sa", true),
            ("CC0 1.0", true),
            ("Creative Commons Attribution", true),
            ("Public Domain Mark", true),
            ("© 2020 A. Person, all rights reserved", false),
            ("Photo by Acc By", false),
            ("http://example.org/terms", false),
            ("", false),
        ] {
            assert_eq!(is_open(licence), open, "{licence}");
        }
    }
}
