//! "Did you mean": the known name nearest to one that is not known.

/// The help that offers a name.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The candidate nearest to `name`, if it is near enough to be a slip.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long name shares much with its neighbours, as `pulsar-paw` with `pulsar-qld`, and is none of them.
    let length = name.chars().count();
    let limit = if length < 10 { length / 3 } else { length / 4 }.clamp(1, 4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // The lengths alone bound the distance from below, which spares most comparisons in a long list.
        if candidate.len().abs_diff(name.len()) > limit * 4 {
            continue;
        }
        let distance = distance(name, candidate, limit);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
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
        assert_eq!(closest("memory", fields), None);
        assert_eq!(closest("x", fields), None);
        assert_eq!(closest("pulsar-paw", ["pulsar-QLD", "pulsar-mel"]), None);
        assert_eq!(closest("maximum_accepted_cores", ["max_accepted_cores"]), Some("max_accepted_cores"));
    }
}
