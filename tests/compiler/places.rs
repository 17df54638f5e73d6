//! A place in a text of the config leads back to the file, however the text is written there: random scalars of all styles.

use crate::support::random::Random;
use tpv_config::origin::TextOrigin;
use tpv_config::{ConfigTexts, Input};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::render::Render;
use tpv_text::source::Limits;

/// A scalar for the value of a key that is four columns deep, with words that are all different.
fn scalar(random: &mut Random) -> String {
    let words = 1 + random.below(12);
    let mut words = (0..words).map(|word| format!("w{word}_"));
    let mut text = String::from(*random.pick(&["", "", "&anchor ", "! &anchor "]));
    match random.below(5) {
        0 => {
            text += &words.next().unwrap();
            words.for_each(|word| text += &(separator(random, &["+", "é", "(", "\u{a0}"]) + &word));
        }
        1 => {
            text += "'";
            words.for_each(|word| text += &(word + &separator(random, &["''", "\"", "''''", "\\", "é"])));
            text += "'";
        }
        2 => {
            text += "\"";
            let odd =
                ["\\\"", "\\t", "\\x20", "\\u00e9", "\\\\", "\\n", "\\\n      ", "\\\n  \\ ", "\\U0001F600", "''"];
            words.for_each(|word| text += &(word + &separator(random, &odd)));
            text += "\"";
        }
        _ => {
            text += *random.pick::<&str>(&["|", ">"]);
            let given = random.one_in(2);
            // The key stands four columns deep, so that two more are six.
            text += if given { "2" } else { "" };
            text += *random.pick::<&str>(&["", "-", "+"]);
            for (number, word) in words.enumerate() {
                let lines: &[&str] = &["\n", "\n", "\n\n", "\n  \n"];
                // ruamel.yaml refuses blanks on a first line that are fewer than those of the text.
                text += *random.pick(if number > 0 || given { lines } else { lines.get(..3).unwrap() });
                let deeper = if number > 0 || given { *random.pick(&["", "", "  ", "\t", "    "]) } else { "" };
                text += &format!("      {deeper}{word}");
                text += *random.pick::<&str>(&["", "", " ", " é: # 'x"]);
            }
        }
    }
    text
}

/// A separator between two words of a scalar that is not a block.
fn separator(random: &mut Random, odd: &[&str]) -> String {
    match random.below(4) {
        0 => format!("{} ", random.pick(odd)),
        1 => random.pick(&["\n      ", " \n        ", "\n\n     ", "\n   \n\n      ", " \n     \n      "]).to_string(),
        _ => random.pick(&[" ", "   ", " é "]).to_string(),
    }
}

#[test]
fn every_word_is_found_in_the_file() {
    let mut random = Random::new(20_261_121);
    let (mut compared, mut joined) = (0, 0);
    for _ in 0..1000 {
        let mut file = format!("tools:\n  default:\n    mem: {}\n    cores: 1\n", scalar(&mut random));
        if random.one_in(4) {
            file = file.replace('\n', "\r\n");
        }
        let (mut texts, mut problems) = (ConfigTexts::default(), Diagnostics::new());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yml");
        std::fs::write(&path, &file).unwrap();
        let input = Input::Named(path.to_str().unwrap().to_owned());
        let config = tpv_config::load(&[input], &Limits::default(), &mut texts, &mut problems);
        let sources = texts.sources;
        assert!(!problems.has_errors(), "{file}\n{}", problems.render(&sources, false));
        let code = config.checks.iter().find(|code| code.property == "mem").unwrap_or_else(|| panic!("{file}"));
        let (text, origin) = (code.text.as_str(), TextOrigin::new(&code.text, &sources));
        let site = origin.site();
        joined += usize::from(!site.pieces.is_empty());
        for number in 0..12 {
            let word = format!("w{number}_");
            let (Some(read), Some(written)) = (text.find(&word), file.find(&word)) else { continue };
            compared += 1;
            let (line, column) = place(text, read);
            let expected = place(&file, written);
            let span = origin.span(read..read + word.len());
            assert_eq!(sources.text(span), word, "{file}");
            let found = sources.place(origin.place(line, column));
            assert_eq!((found.line, found.column), expected, "`{word}` in\n{file}");
            let number = |value: usize| u32::try_from(value).unwrap();
            let located = site.locate(number(line), number(column));
            assert_eq!(located, (number(expected.0), number(expected.1)), "`{word}` in\n{file}\n{site:?}");
            // What the artifact can show of the line has the word in the same column.
            let shown = site.file_line(text, located.0).unwrap_or_else(|| panic!("`{word}` in\n{file}\n{site:?}"));
            let rest: String = shown.chars().skip(expected.1 - 1).collect();
            assert!(rest.starts_with(&word), "`{word}` is not in {shown:?} of\n{file}\n{site:?}");
        }
    }
    assert!(compared > 2500 && joined > 200, "{compared} words, {joined} texts of pieces");
}

/// Line and column, from 1, of a byte.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    (line, before.rsplit('\n').next().unwrap().chars().count() + 1)
}
