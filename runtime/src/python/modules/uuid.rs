//! `uuid`

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::hashlib::digest_of;
use super::random::entropy;
use super::signature::Signature;
use super::{class, time};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{ASSERTION_ERROR, PyResult, Raised, attribute_error, raise, type_error, value_error};
use crate::python::hash;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

const RESERVED_NCS: &str = "reserved for NCS compatibility";
const RFC_4122: &str = "specified in RFC 4122";
const RESERVED_MICROSOFT: &str = "reserved for Microsoft compatibility";
const RESERVED_FUTURE: &str = "reserved for future definition";

module! {
    /// `uuid`
    MODULE = "uuid";
    functions { "getnode" => getnode, "uuid1" => uuid1, "uuid3" => uuid3, "uuid4" => uuid4, "uuid5" => uuid5 }
    values(_vm) {
        "NAMESPACE_DNS" => Value::object(Uuid(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8)),
        "NAMESPACE_OID" => Value::object(Uuid(0x6ba7_b812_9dad_11d1_80b4_00c0_4fd4_30c8)),
        "NAMESPACE_URL" => Value::object(Uuid(0x6ba7_b811_9dad_11d1_80b4_00c0_4fd4_30c8)),
        "NAMESPACE_X500" => Value::object(Uuid(0x6ba7_b814_9dad_11d1_80b4_00c0_4fd4_30c8)),
        "RESERVED_FUTURE" => Value::str(RESERVED_FUTURE),
        "RESERVED_MICROSOFT" => Value::str(RESERVED_MICROSOFT),
        "RESERVED_NCS" => Value::str(RESERVED_NCS),
        "RFC_4122" => Value::str(RFC_4122),
        "UUID" => class(&UUID),
    }
}

/// `uuid.UUID`
static UUID: BuiltinType = BuiltinType { construct: Some(construct), ..BuiltinType::new("UUID", "uuid", &OBJECT) };

/// A UUID, as a number.
struct Uuid(u128);

/// The six fields, from the highest bits: their names, widths in bits and, as messages say it, the article.
const FIELDS: [(&str, u32, &str); 6] = [
    ("time_low", 32, "a"),
    ("time_mid", 16, "a"),
    ("time_hi_version", 16, "a"),
    ("clock_seq_hi_variant", 8, "an"),
    ("clock_seq_low", 8, "an"),
    ("node", 48, "a"),
];

impl Uuid {
    /// This number with the bits that say its variant and version.
    fn with_version(number: u128, version: u128) -> Self {
        let number = number & !(0xc000 << 48) | 0x8000 << 48;
        Self(number & !(0xf000 << 64) | version << 76)
    }

    fn of_bytes(bytes: &[u8], version: u128) -> Self {
        let number = bytes.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte));
        Self::with_version(number, version)
    }

    /// Field number `index`.
    fn field(&self, index: usize) -> u128 {
        let below: u32 = FIELDS.iter().skip(index + 1).map(|(_, bits, _)| bits).sum();
        let bits = FIELDS.get(index).map_or(0, |(_, bits, _)| *bits);
        self.0 >> below & ((1 << bits) - 1)
    }

    fn text(&self) -> String {
        let hex = format!("{:032x}", self.0);
        let part = |from, to| hex.get(from..to).unwrap_or_default();
        format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
    }

    fn variant(&self) -> &'static str {
        let bit = |mask: u128| self.0 & (mask << 48) != 0;
        match (bit(0x8000), bit(0x4000), bit(0x2000)) {
            (false, _, _) => RESERVED_NCS,
            (true, false, _) => RFC_4122,
            (true, true, false) => RESERVED_MICROSOFT,
            (true, true, true) => RESERVED_FUTURE,
        }
    }
}

/// The bytes with the first three fields in the other order of bytes.
fn swapped(bytes: [u8; 16]) -> Vec<u8> {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    order.iter().filter_map(|index: &usize| bytes.get(*index).copied()).collect()
}

fn int(number: u128) -> Value {
    Value::from_bigint(number.into())
}

/// `UUID(hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None, *, is_safe=...)`
fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "UUID.__init__",
        parameters: ["hex", "bytes", "bytes_le", "fields", "int", "version", "is_safe"],
        positional: 6,
        required: 0,
        method: true,
    };
    let [hex, bytes, bytes_le, fields, number, version, _] =
        signature.bind(args)?.map(|given| given.unwrap_or_default());
    // CPython counts what equals `None`, which a class may answer as it likes.
    let mut missing = 0;
    for value in [&hex, &bytes, &bytes_le, &fields, &number] {
        missing += usize::from(value.is_none() || vm.equal(value, &Value::None)?);
    }
    if missing != 4 {
        return Err(type_error("one of the hex, bytes, bytes_le, fields, or int arguments must be given"));
    }
    let whole: u128 = if !hex.is_none() {
        of_hex(vm, &hex)?
    } else if !bytes_le.is_none() {
        let bytes = sixteen(vm, &bytes_le, "bytes_le")?;
        Uuid(u128::from_be_bytes(<[u8; 16]>::try_from(swapped(bytes)).unwrap_or_default())).0
    } else if !bytes.is_none() {
        u128::from_be_bytes(sixteen(vm, &bytes, "bytes")?)
    } else if !fields.is_none() {
        of_fields(vm, &fields)?
    } else {
        // DIFFERENCE: CPython makes a UUID of a float, which then cannot be shown.
        let float = if version.is_none() { "%x format: an integer is required, not float" } else { AND };
        bounded(vm, &number, 128, float, || value_error("int is out of range (need a 128-bit value)"))?
    };
    if version.is_none() {
        return Ok(Value::object(Uuid(whole)));
    }
    let illegal = || value_error("illegal version number");
    if matches!(&version, Value::Float(version) if !(1.0..=5.0).contains(version)) {
        return Err(illegal());
    }
    let version = bounded(vm, &version, 8, SHIFT, illegal)?;
    if !(1..=5).contains(&version) {
        return Err(illegal());
    }
    Ok(Value::object(Uuid::with_version(whole, version)))
}

fn of_hex(vm: &mut Vm, hex: &Value) -> PyResult<u128> {
    let Value::Str(text) = hex else {
        // What CPython asks of any argument.
        vm.call_method(hex, "replace", Args::positional([Value::str("urn:"), Value::str("")]))?;
        return Err(attribute_error(format!("'{}' object has no attribute 'replace'", hex.type_name().as_str())));
    };
    vm.charge(text.len() / 16)?;
    let plain = text.replace("urn:", "").replace("uuid:", "");
    let digits = plain.trim_matches(['{', '}']).replace('-', "");
    if digits.chars().count() != 32 {
        return Err(value_error("badly formed hexadecimal UUID string"));
    }
    let shown = vm.repr(&Value::str(digits.as_str()))?;
    let number = crate::python::number::parse::int_or_raise(&digits, 16, || shown.to_string())?;
    bounded(vm, &number, 128, SHIFT, || value_error("int is out of range (need a 128-bit value)"))
}

fn sixteen(vm: &mut Vm, value: &Value, what: &str) -> PyResult<[u8; 16]> {
    if vm.len(value)? != 16 {
        return Err(value_error(format!("{what} is not a 16-char string")));
    }
    match value {
        Value::Bytes(bytes) => Ok(<[u8; 16]>::try_from(bytes.as_slice()).unwrap_or_default()),
        other => {
            let shown = vm.repr(other)?;
            Err(raise(&ASSERTION_ERROR, shown))
        }
    }
}

fn of_fields(vm: &mut Vm, fields: &Value) -> PyResult<u128> {
    if vm.len(fields)? != FIELDS.len() {
        return Err(value_error("fields is not a 6-tuple"));
    }
    let mut number = 0;
    for (index, (value, (_, bits, article))) in vm.collect(fields)?.iter().zip(FIELDS).enumerate() {
        let wrong = || value_error(format!("field {} out of range (need {article} {bits}-bit value)", index + 1));
        number = number << bits | bounded(vm, value, bits, if index > 3 { OR } else { SHIFT }, wrong)?;
    }
    Ok(number)
}

// What CPython says of a float among the bits.
const AND: &str = "unsupported operand type(s) for &=: 'float' and 'int'";
const OR: &str = "unsupported operand type(s) for |: 'int' and 'float'";
const SHIFT: &str = "unsupported operand type(s) for <<: 'float' and 'int'";

/// An int from zero to below `2**bits`; `float` is what is wrong with a float in these bounds.
fn bounded(vm: &mut Vm, value: &Value, bits: u32, float: &str, wrong: impl Fn() -> Raised) -> PyResult<u128> {
    if let Value::Float(number) = value {
        let within = *number >= 0.0 && *number < 2_f64.powi(bits.cast_signed());
        return Err(if within { type_error(float) } else { wrong() });
    }
    if !matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) {
        return Err(type_error(format!(
            "'<=' not supported between instances of 'int' and '{}'",
            value.type_name().as_str()
        )));
    }
    let number = convert::bigint(vm, value)?.to_u128().ok_or_else(&wrong)?;
    if bits < 128 && number >> bits != 0 { Err(wrong()) } else { Ok(number) }
}

impl Object for Uuid {
    fn class(&self) -> &'static BuiltinType {
        &UUID
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if let Some(index) = FIELDS.iter().position(|(field, _, _)| *field == name) {
            return Ok(Some(int(self.field(index))));
        }
        let bytes = self.0.to_be_bytes();
        Ok(Some(match name {
            "bytes" => Value::bytes(bytes.to_vec()),
            "bytes_le" => Value::bytes(swapped(bytes)),
            "fields" => Value::tuple((0..FIELDS.len()).map(|index| int(self.field(index))).collect()),
            "time" => int((self.field(2) & 0xfff) << 48 | self.field(1) << 32 | self.field(0)),
            "clock_seq" => int((self.field(3) & 0x3f) << 8 | self.field(4)),
            "hex" => Value::str(format!("{:032x}", self.0)),
            "int" => int(self.0),
            "urn" => Value::str(format!("urn:uuid:{}", self.text())),
            "variant" => Value::str(self.variant()),
            "version" if self.variant() == RFC_4122 => int(self.0 >> 76 & 0xf),
            "version" => Value::None,
            _ => return Ok(None),
        }))
    }

    fn set_attr(&self, _: &mut Vm, _: &Str, _: Value) -> PyResult<()> {
        Err(type_error("UUID objects are immutable"))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.text())
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("UUID('{}')", self.text()))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        Some(Ok(super::decide(op, self.0.cmp(&other.downcast::<Self>()?.0))))
    }

    fn number(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        (method == "int").then(|| Ok(int(self.0)))
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(hash::hash(vm, &int(self.0)))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.0 == other.0)
    }
}

/// `uuid4()`
fn uuid4(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [] = Signature::function("uuid4", [], 0).bind(args)?;
    let bytes = entropy::bytes(vm, 16)?;
    Ok(Value::object(Uuid::of_bytes(&bytes, 4)))
}

/// DIFFERENCE: the number of a network card is a random one with the bit set that says so, as CPython's is where it finds
/// no card.
fn node(vm: &mut Vm) -> PyResult<u128> {
    let bytes = entropy::bytes(vm, 6)?;
    Ok(bytes.iter().fold(0, |node, byte| node << 8 | u128::from(*byte)) | 1 << 40)
}

/// `getnode()`
fn getnode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [] = Signature::function("getnode", [], 0).bind(args)?;
    node(vm).map(int)
}

/// `uuid1(node=None, clock_seq=None)`, at the time of the world.
fn uuid1(vm: &mut Vm, args: Args) -> PyResult<Value> {
    /// From the start of the Gregorian calendar to 1970, in units of 100 ns.
    const GREGORIAN: i128 = 0x01b2_1dd2_1381_4000;
    let [given, sequence] =
        Signature::function("uuid1", ["node", "clock_seq"], 0).bind(args)?.map(|given| given.unwrap_or_default());
    let stamp = i128::from(time::now(vm)?) * 10 + GREGORIAN;
    let stamp = u128::try_from(stamp).unwrap_or_default();
    let sequence = if sequence.is_none() {
        entropy::bytes(vm, 2)?.iter().fold(0, |sequence, byte| sequence << 8 | u128::from(*byte))
    } else {
        low_bits(vm, &sequence)?
    };
    let node = if given.is_none() {
        node(vm)?
    } else {
        let wrong = || value_error("field 6 out of range (need a 48-bit value)");
        bounded(vm, &given, 48, OR, wrong)?
    };
    let number = (stamp & 0xffff_ffff) << 96 | (stamp >> 32 & 0xffff) << 80 | (stamp >> 48 & 0xfff) << 64;
    Ok(Value::object(Uuid::with_version(number | (sequence & 0x3fff) << 48 | node, 1)))
}

fn low_bits(vm: &mut Vm, value: &Value) -> PyResult<u128> {
    let bits = convert::bigint(vm, value)? & BigInt::from(0x3fff);
    Ok(bits.to_u128().unwrap_or_default())
}

fn named(vm: &mut Vm, args: Args, function: &'static str, algorithm: &str, version: u128) -> PyResult<Value> {
    let [namespace, name] =
        Signature::function(function, ["namespace", "name"], 2).bind(args)?.map(Option::unwrap_or_default);
    let space = vm.get_attr(&namespace, "bytes")?;
    let (Value::Bytes(space), Value::Str(name)) = (&space, &name) else {
        return Err(type_error("encoding without a string argument"));
    };
    vm.charge(name.len() / 64 + 1)?;
    let digest = digest_of(algorithm, &[space.as_slice(), name.as_bytes()].concat());
    Ok(Value::object(Uuid::of_bytes(&digest, version)))
}

/// `uuid3(namespace, name)`
fn uuid3(vm: &mut Vm, args: Args) -> PyResult<Value> {
    named(vm, args, "uuid3", "md5", 3)
}

/// `uuid5(namespace, name)`
fn uuid5(vm: &mut Vm, args: Args) -> PyResult<Value> {
    named(vm, args, "uuid5", "sha1", 5)
}
