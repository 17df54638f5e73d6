//! Galaxy's settings: the value of one whose name shows its kind.

use tpv_analysis::dry_job::SOMEONE;
use tpv_galaxy::json::Json;

use super::{FOLDER, TEXT};

/// The words that end or begin the name of a setting of a kind.
const NUMBERS: [&str; 14] = [
    "size", "limit", "limits", "max", "min", "timeout", "interval", "number", "count", "port", "workers", "days",
    "hours", "seconds",
];
const SWITCHES: [&str; 5] = ["enable", "allow", "use", "require", "track"];
const PATHS: [&str; 7] = ["path", "dir", "directory", "file", "root", "folder", "database"];
const TEXTS: [&str; 8] = ["name", "url", "host", "brand", "id", "key", "domain", "secret"];

/// The value of a setting. `None` if its name does not show the kind.
pub(super) fn value(name: &str) -> Option<Json> {
    match name {
        // Texts that others than an administrator are not in.
        "admin_users" => return Some(Json::str(format!("admin-{SOMEONE}"))),
        "admin_users_list" => return Some(Json::List(vec![Json::str(format!("admin-{SOMEONE}"))])),
        _ => {}
    }
    let mut words = name.split('_');
    let (first, last) = (words.next()?, name.rsplit('_').next()?);
    let has = |kinds: &[&str]| kinds.contains(&first) || kinds.contains(&last);
    match () {
        () if SWITCHES.contains(&first) => Some(Json::Bool(false)),
        () if PATHS.contains(&last) => Some(Json::str(format!("{FOLDER}{name}"))),
        () if TEXTS.contains(&last) => Some(Json::str(TEXT)),
        () if has(&NUMBERS) => Some(Json::Int(1)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_galaxy::json::text_of;

    #[test]
    fn the_name_shows_the_kind() {
        let values = [
            ("admin_users_list", Some(r#"["admin-someone@example.org"]"#)),
            ("enable_quotas", Some("false")),
            ("new_file_path", Some("\"/made/new_file_path\"")),
            ("max_metadata_value_size", Some("1")),
            ("galaxy_infrastructure_url", Some("\"1\"")),
            ("is_admin_user", None),
            ("site", None),
        ];
        for (name, expected) in values {
            assert_eq!(value(name).map(|value| text_of(&value)).as_deref(), expected, "{name}");
        }
    }
}
