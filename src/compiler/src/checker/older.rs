//! Attributes of TPV's objects that only versions before 3.0 have, where they were plain classes and no models of pydantic.

use tpv_model::Version;

/// The names that TPV 1.4 and 2.5 have and 3.3 lacks, by the class that the objects have now.
const BEFORE_3: [(&str, &[&str]); 4] = [
    (
        "Entity",
        &[
            "compile_complex_property",
            "evaluate_complex_property",
            "from_dict",
            "loader",
            "process_complex_property",
            "validate_rules",
        ],
    ),
    ("SchedulingTags", &["add_tag_overrides", "contains_tag", "from_dict"]),
    ("Tag", &["name"]),
    ("Mapper", &["entities"]),
];

/// Those that only TPV 1 has.
const OF_1: [(&str, &[&str]); 2] = [
    ("Entity", &["evaluate_early", "evaluate_late", "matches", "score"]),
    ("Mapper", &["configure_gxy_destination", "evaluate_entities_early", "evaluate_entity_early", "find_best_matches"]),
];

/// Those that only TPV 2 has.
const OF_2: [(&str, &[&str]); 2] = [("Entity", &["to_dict"]), ("SchedulingTags", &["to_dict"])];

/// Returns `true` if objects of a class have an attribute in this version of TPV, and no longer in 3.3.
pub(super) fn has(version: Version, class: &str, name: &str) -> bool {
    let class = if class == "Destination" { "Entity" } else { class };
    let of_one = if version.evaluates_early() { &OF_1 } else { &OF_2 };
    !version.has_models()
        && BEFORE_3.iter().chain(of_one).any(|(known, names)| *known == class && names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_its_own_attributes() {
        let versions = |class: &str, name: &str| -> Vec<String> {
            let all = Version::ALL.into_iter().filter(|version| has(*version, class, name));
            all.map(|version| version.to_string()).collect()
        };
        assert_eq!(versions("Destination", "to_dict"), ["2.5"]);
        assert_eq!(versions("Entity", "evaluate_late"), ["1.4"]);
        assert_eq!(versions("SchedulingTags", "contains_tag"), ["1.4", "2.5"]);
        assert!(versions("Tag", "tag_type").is_empty());
    }
}
