//! Names of users in reports: a short hash, unless names are asked for.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use tpv_runtime::Job;

/// The names that reports have for users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// `user-3f9a1c02`: the first digits of the SHA-256 of the address or name. Whoever knows an address can tell whether it is that one.
    #[default]
    Hashed,
    /// The names themselves.
    Plain,
}

impl Naming {
    /// The naming that `--with-users` chooses.
    pub fn with_users(with_users: bool) -> Self {
        if with_users { Self::Plain } else { Self::Hashed }
    }

    /// A user's name, or address, as a report has it.
    pub fn user(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Plain => Cow::Borrowed(name),
            Self::Hashed => Cow::Owned(hashed("user", name)),
        }
    }

    /// The name of a role of this user. Galaxy gives each user a private role that has the user's address as its name.
    pub fn role<'t>(self, name: &'t str, username: &str) -> Cow<'t, str> {
        match self == Self::Hashed && (name.contains('@') || name == username) {
            true => Cow::Owned(hashed("role", name)),
            false => Cow::Borrowed(name),
        }
    }

    /// A text that rules wrote for a job, without the address of the job's user.
    pub fn text<'t>(self, text: &'t str, job: &Job) -> Cow<'t, str> {
        let email = job.user.as_ref().and_then(|user| user.email).map(|email| job.text(email));
        match email.filter(|email| self == Self::Hashed && email.contains('@') && text.contains(email)) {
            Some(email) => Cow::Owned(text.replace(email, &self.user(email))),
            None => Cow::Borrowed(text),
        }
    }
}

/// The first 32 bits of a name's SHA-256, in hexadecimal digits.
fn hashed(kind: &str, name: &str) -> String {
    let digest = Sha256::digest(name);
    let digits: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{kind}-{digits}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_hashed_wherever_they_stand() {
        let job = Job::parse(r#"{"tool": {"id": "t"}, "user": {"email": "jo@example.org"}}"#).unwrap();
        let name = Naming::Hashed.user("jo@example.org").into_owned();
        assert!(name.starts_with("user-") && name.len() == 13 && !name.contains("jo"), "{name}");
        assert_eq!(Naming::Hashed.text("no room for jo@example.org", &job), format!("no room for {name}"));
        assert_eq!(Naming::Hashed.role("training", "jo"), "training");
        assert!(Naming::Hashed.role("jo@example.org", "jo").starts_with("role-"));
        assert_eq!(Naming::Plain.text("jo@example.org", &job), "jo@example.org");
    }
}
