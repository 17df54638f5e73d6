//! JSON values as YAML text.

use tpv_galaxy::json::Json;
use tpv_yaml::write::{Kind, Layout, Node, document, float};

/// The value as a YAML document.
pub fn yaml(value: &Json, layout: Layout) -> String {
    document(&node(value), layout)
}

fn node(value: &Json) -> Node {
    match value {
        Json::Null => Kind::Null,
        Json::Bool(flag) => Kind::Plain(flag.to_string()),
        Json::Int(number) => Kind::Plain(number.to_string()),
        Json::BigInt(number) => Kind::Plain(number.to_string()),
        Json::Float(number) => Kind::Plain(float(*number)),
        Json::Str(text) => Kind::Str(text.to_string()),
        Json::List(items) => Kind::List(items.iter().map(node).collect()),
        Json::Object(items) => Kind::Map(items.iter().map(|(key, value)| (Node::str(&**key), node(value))).collect()),
    }
    .into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tpv_galaxy::json::Reader;

    fn emit(json: &str, flow_leaves: bool) -> String {
        let value = Json::read(&mut Reader::new(json)).unwrap();
        yaml(&value, Layout { flow_leaves, sorted: true, ..Layout::default() })
    }

    #[test]
    fn layouts_are_those_of_ruamel() {
        let text = r#"{"b": [{"x": "1", "y": null}, []], "a": {"c": {"d": 1.5}}, "e": "it's", "f": "a: b"}"#;
        assert_eq!(emit(text, true), "a:\n  c: {d: 1.5}\nb:\n- {x: '1', y: null}\n- []\ne: it's\nf: 'a: b'\n");
        assert_eq!(emit(text, false), "a:\n  c:\n    d: 1.5\nb:\n- x: '1'\n  y: null\n- []\ne: it's\nf: 'a: b'\n");
        assert_eq!(
            emit(r#"[[1, [2]], "x\ny", "true", "", " a"]"#, false),
            "- - 1\n  - - 2\n- \"x\\ny\"\n- 'true'\n- ''\n- ' a'\n"
        );
    }
}
