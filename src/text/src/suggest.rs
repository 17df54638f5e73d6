//! "Did you mean": the known name nearest to one that is not known.

/// The help that offers a name.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The candidate nearest to `name`, if it is near enough that `name` may be a misspelling of it.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = Name::new(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // The lengths alone bound the distance from below, which spares most comparisons in a long list.
        if candidate.len().abs_diff(name.text.len()) > MOST_LONGER {
            continue;
        }
        let Some(distance) = name.distance(&Name::new(candidate)) else { continue };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns `true` for ids that differ by one letter or digit: another one, one too many, or two that are swapped. Unlike [`closest`] it takes another digit
/// for a slip, and no longer word.
pub fn is_slip(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= 4 && distance(one, other, 1) <= 1
}

/// The most by which a name may be longer than the other; `maximum` for `max` is four.
const MOST_LONGER: usize = 8;

/// A name and its words, in small letters.
struct Name {
    text: String,
    /// The words between `_`, `-`, `.`, `/` and blanks.
    words: Vec<String>,
}

impl Name {
    fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        Self { text, words }
    }

    fn digits(&self) -> impl Iterator<Item = char> {
        self.text.chars().filter(char::is_ascii_digit)
    }

    /// A letter and a number of three digits or more, such as `T105`.
    fn is_code(&self) -> bool {
        let number = self.text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        number.len() + 1 == self.text.len() && number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The number of edits between two names; `None` if they are different names.
    fn distance(&self, other: &Self) -> Option<usize> {
        if self.text == other.text {
            return Some(0);
        }
        if self.is_code() && other.is_code() {
            return Some(distance(&self.text, &other.text, 1)).filter(|distance| *distance <= 1);
        }
        // `gpu1` and `gpu2` are neighbours in a row.
        if !self.digits().eq(other.digits()) {
            return None;
        }
        if self.words.len() != other.words.len() {
            // A word more makes another name (`pulsar-qld`); a separator more does not (`high-mem`).
            return (self.words.concat() == other.words.concat()).then_some(1);
        }
        // `max_cores_accepted`
        if self.words.len() > 2 && sorted(&self.words) == sorted(&other.words) {
            return Some(1);
        }
        let mut sum = 0;
        for (one, two) in self.words.iter().zip(&other.words) {
            sum += if self.words.len() > 1 && is_abbreviation(one, two) { 1 } else { edits(one, two)? };
        }
        let length = self.text.chars().count().max(other.text.chars().count());
        (sum <= most_edits(length).max(2)).then_some(sum)
    }
}

fn sorted(words: &[String]) -> Vec<&String> {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort_unstable();
    words
}

/// The number of edits within which a text of this length is still the same name.
fn most_edits(length: usize) -> usize {
    match length {
        0..=8 => 1,
        9..=12 => 2,
        _ => 3,
    }
}

/// `max` and `maximum`
fn is_abbreviation(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() < two.len() { (one, two) } else { (two, one) };
    short.len() >= 3 && long.len() > short.len() && long.starts_with(short)
}

/// Returns `true` if one word is the other with letters omitted, except for the first and the last.
fn is_contracted(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() < two.len() { (one, two) } else { (two, one) };
    let mut letters = long.chars();
    let ends = |text: &str| (text.chars().next(), text.chars().next_back());
    ends(short) == ends(long) && short.chars().all(|letter| letters.any(|other| other == letter))
}

/// The number of edits between two words.
fn edits(one: &str, two: &str) -> Option<usize> {
    if one == two {
        return Some(0);
    }
    let (first, second) = (one.chars().count(), two.chars().count());
    let (short, long) = (first.min(second), first.max(second));
    // `sqroot` for `sqrt`: what is left out in the middle counts less than what is changed.
    let most = if short >= 4 && is_contracted(one, two) { 2 } else { most_edits(long) };
    let distance = distance(one, two, most);
    // Another letter makes a short word another word: `gpu` and `cpu`, `it` and `fr`.
    let is_other = long <= 3 && short == long && {
        let (mut letters, mut others) = (one.chars().collect::<Vec<_>>(), two.chars().collect::<Vec<_>>());
        letters.sort_unstable();
        others.sort_unstable();
        letters != others
    };
    let is_stub = short < 2 || (short != long && long <= 3 && one.chars().next() != two.chars().next());
    (distance <= most && !is_other && !is_stub).then_some(distance)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; more than `limit` if more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &left) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, &right) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut cost = (at(&row, j) + usize::from(left != right)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&right) && b.get(j - 1) == Some(&left);
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_only() {
        let fields = ["cores", "mem", "max_cores", "scheduling", "inherits"];
        assert_eq!(closest("corse", fields), Some("cores"));
        assert_eq!(closest("Cores", fields), Some("cores"));
        assert_eq!(closest("inherit", fields), Some("inherits"));
        assert_eq!(closest("shceduling", fields), Some("scheduling"));
        assert_eq!(closest("mme", fields), Some("mem"));
        assert_eq!(closest("men", fields), None);
        assert_eq!(closest("memory", fields), None);
        assert_eq!(closest("x", fields), None);
        assert_eq!(closest("maximum_accepted_cores", ["max_accepted_cores"]), Some("max_accepted_cores"));
        assert_eq!(closest("max_accepted_core", ["max_accepted_cores"]), Some("max_accepted_cores"));
        assert_eq!(closest("highmem", ["high-mem"]), Some("high-mem"));
        assert_eq!(closest("max_cores_accepted", ["max_accepted_cores"]), Some("max_accepted_cores"));
        assert_eq!(closest("nmupy", ["numpy"]), Some("numpy"));
        assert_eq!(closest("sqroot", ["sqrt"]), Some("sqrt"));
        assert_eq!(closest("A1055", ["A101", "A105"]), Some("A105"));
    }

    #[test]
    fn slips_of_ids_may_be_digits() {
        assert!(is_slip("hisat2", "hisat3") && is_slip("bwa_men", "bwa_mem") && is_slip("bw_mem", "bwa_mem"));
        assert!(!is_slip("cat", "cut") && !is_slip("upload1", "default"));
    }

    /// Tags of public servers that are not misspellings of one another.
    #[test]
    fn neighbours_are_not_misspellings() {
        let pairs = [
            ("pulsar-paw", "pulsar-QLD"),
            ("it-pulsar", "fr-pulsar"),
            ("sk-pulsar", "pulsar"),
            ("pulsar-qld-gpu6", "pulsar-qld-gpu"),
            ("pulsar-qld-gpu6", "pulsar-qld-gpu5"),
            ("offline", "online"),
            ("gpu", "cpu"),
            ("bridges2", "bridges"),
            ("rockfish-gpu", "rockfish"),
        ];
        for (name, other) in pairs {
            assert_eq!(closest(name, [other]), None, "{name}");
        }
    }
}
