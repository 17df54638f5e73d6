//! Tags: what stands after `!` and `!!`.

/// The prefix of the tags of YAML's own types, which `!!` stands for.
pub(crate) const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// The written form of a tag.
pub(crate) fn prepare_tag(tag: &str) -> String {
    if tag == "!" || tag == "!!" {
        return tag.to_owned();
    }
    let (mut handle, mut suffix) = (None, tag);
    // In the order of the prefixes; the last that fits counts.
    for (prefix, short) in [("!", "!"), ("!!", "!!"), (YAML_TAGS, "!!")] {
        if let Some(rest) = tag.strip_prefix(prefix)
            && (prefix == "!" || !rest.is_empty())
        {
            (handle, suffix) = (Some(short), rest);
        }
    }
    let mut text = String::new();
    for ch in suffix.chars() {
        let plain =
            ch.is_ascii_alphanumeric() || "-;/?:@&=+$,_.~*'()[]#".contains(ch) || ch == '!' && handle != Some("!");
        if plain {
            text.push(ch);
        } else {
            text += &format!("%{:02X}", u32::from(ch));
        }
    }
    match handle {
        Some(handle) => format!("{handle}{text}"),
        None => format!("!<{text}>"),
    }
}
