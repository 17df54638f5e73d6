//! Fields of JSON by their paths.

use tpv_galaxy::json::Json;

/// Sets the value at a path, making what is missing.
///
/// # Errors
/// The key that leads through a value without fields.
pub fn assign(target: &mut Json, keys: &[&str], value: Json) -> Result<(), String> {
    let Some((key, rest)) = keys.split_first() else {
        *target = value;
        return Ok(());
    };
    if *target == Json::Null {
        let list = key.bytes().all(|byte| byte.is_ascii_digit());
        *target = if list { Json::List(Vec::new()) } else { Json::Object(Vec::new()) };
    }
    match target {
        Json::Object(items) => {
            let index = items.iter().position(|(name, _)| **name == **key).unwrap_or_else(|| {
                items.push(((*key).into(), Json::Null));
                items.len() - 1
            });
            items.get_mut(index).map_or(Ok(()), |(_, slot)| assign(slot, rest, value))
        }
        Json::List(items) => {
            let index: usize = key.parse().map_err(|_| (*key).to_owned())?;
            if index == items.len() {
                items.push(Json::Null);
            }
            let slot = items.get_mut(index).ok_or_else(|| (*key).to_owned())?;
            assign(slot, rest, value)
        }
        _ => Err((*key).to_owned()),
    }
}
