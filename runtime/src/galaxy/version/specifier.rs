//! Version specifiers: `>=1.2,<2`, as `packaging.specifiers` reads them and decides by them.

use super::pep440::{Pep440, is_space};

/// The relation that a specifier asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `~=`
    Compatible,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `===`
    Identical,
}

impl Operator {
    /// All, those that begin with others before them.
    const ALL: [(&'static str, Self); 8] = [
        ("===", Self::Identical),
        ("~=", Self::Compatible),
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessEqual),
        (">=", Self::GreaterEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// The operator as it is written.
    pub(super) fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }
}

/// One specifier.
#[derive(Clone, Debug)]
pub(super) struct Specifier {
    pub(super) operator: Operator,
    /// The version as it was written.
    pub(super) version: String,
}

impl Specifier {
    /// Reads a specifier; `None` where it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(is_space);
        let (operator, version) =
            Operator::ALL.iter().find_map(|(mark, operator)| Some((*operator, text.strip_prefix(mark)?)))?;
        let version = version.trim_start_matches(is_space);
        let fits = match operator {
            Operator::Identical => !version.contains(|char| is_space(char) || matches!(char, ';' | ')')),
            Operator::Equal | Operator::NotEqual => match version.strip_suffix(".*") {
                Some(prefix) => Pep440::parse(prefix).is_some_and(|version| version.is_plain()),
                None => Pep440::parse(version).is_some(),
            },
            Operator::Compatible => Pep440::parse(version)
                .is_some_and(|version| version.local_text().is_none() && version.release().count() > 1),
            _ => Pep440::parse(version).is_some_and(|version| version.local_text().is_none()),
        };
        fits.then(|| Self { operator, version: version.to_owned() })
    }

    /// The release that a `.*` is behind, or the version itself; `None` of `===`, whose version may be any text.
    fn parsed(&self) -> Option<(Pep440<'_>, bool)> {
        if self.operator == Operator::Identical {
            return None;
        }
        let prefix = self.version.strip_suffix(".*");
        Some((Pep440::parse(prefix.unwrap_or(&self.version))?, prefix.is_some()))
    }

    /// Whether it asks for a pre-release by name: `None` where that cannot be told.
    pub(super) fn prereleases(&self) -> Option<bool> {
        if self.operator == Operator::NotEqual {
            return Some(false);
        }
        match self.parsed() {
            Some((_, true)) => Some(false),
            Some((version, false)) => Some(version.is_prerelease()),
            None => Pep440::parse(&self.version).map(|version| version.is_prerelease()),
        }
    }

    /// Operator and version in the form by which specifiers are compared.
    pub(super) fn canonical(&self) -> (&'static str, String) {
        let version = match self.parsed() {
            Some((version, false)) => version.canonical_text(self.operator != Operator::Compatible),
            _ => self.version.clone(),
        };
        (self.operator.text(), version)
    }

    /// Whether a version is within the specifier, as far as pre-releases do not matter.
    pub(super) fn allows(&self, found: &Pep440<'_>) -> bool {
        let Some((wanted, prefix)) = self.parsed() else { return false };
        if prefix {
            let within = found.at_least(&format!("{}.dev0", wanted.base_text()))
                && !found.at_least(&next_prefix(&wanted, wanted.release().count()));
            return within == (self.operator == Operator::Equal);
        }
        let order = found.compare(&wanted);
        match self.operator {
            Operator::GreaterEqual => order.is_ge(),
            // A local version of the one named belongs to it.
            Operator::LessEqual => order.is_le() || found.same_public(&wanted),
            Operator::Equal => equal(found, &wanted),
            Operator::NotEqual => !equal(found, &wanted),
            Operator::Compatible => {
                order.is_ge() && !found.at_least(&next_prefix(&wanted, wanted.release().count().saturating_sub(1)))
            }
            // Pre-releases of the version named do not come before it, unless it is one itself.
            Operator::Less if wanted.is_prerelease() => order.is_lt(),
            Operator::Less => !found.at_least(&format!("{}.dev0", wanted.public_text())),
            // Its local versions and its post-releases do not come after it, unless it is one itself.
            Operator::Greater if wanted.dev.is_some() || wanted.post.is_some() => {
                order.is_gt() && !found.same_public(&wanted)
            }
            Operator::Greater => order.is_gt() && !found.same_release_and_pre(&wanted),
            Operator::Identical => false,
        }
    }
}

fn equal(found: &Pep440<'_>, wanted: &Pep440<'_>) -> bool {
    if wanted.local_text().is_some() { found.compare(wanted).is_eq() } else { found.same_public(wanted) }
}

/// The first version behind all whose release begins with `count` numbers of this one's.
fn next_prefix(version: &Pep440<'_>, count: usize) -> String {
    let mut numbers: Vec<String> = version.release().take(count).map(|number| number.digits().to_owned()).collect();
    if let Some(last) = numbers.last_mut() {
        let next = last.parse::<num_bigint::BigUint>().unwrap_or_default() + 1_u8;
        *last = next.to_string();
    }
    let epoch = version.epoch.digits();
    format!("{epoch}!{}.dev0", numbers.join("."))
}
