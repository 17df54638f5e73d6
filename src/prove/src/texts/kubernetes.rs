//! Resources of Kubernetes' containers.
//!
//! Sources: Galaxy 26.1.1 reads memory itself, as bytes (`ByteSize` of `galaxy/util/bytesize.py`, used by `__transform_memory_value` of
//! `runners/kubernetes.py`), and passes on `requests_cpu` and `limits_cpu`, which the API server reads as quantities: `parseQuantityString` and
//! `quantitySuffixer` of apimachinery's `pkg/api/resource`. Limits are to be as high as requests: `validation.go` of
//! Kubernetes' `pkg/apis/core/validation`, "must be less than or equal to ... limit".

use super::fault::{Amounts, Fault};
use super::memory::{plain, shown, slip, split_number};
use super::readers::Runner;

const KUBERNETES: &str = "Kubernetes";

/// The suffixes that Galaxy knows, in large letters.
const BYTES: [(&str, f64); 12] = [
    ("KI", 1024.0),
    ("MI", 1_048_576.0),
    ("GI", 1_073_741_824.0),
    ("TI", 1_099_511_627_776.0),
    ("PI", 1_125_899_906_842_624.0),
    ("EI", 1_152_921_504_606_846_976.0),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
];

/// The suffixes of quantities.
const QUANTITIES: [(&str, f64); 16] = [
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("", 1.0),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
];

/// Bytes as Galaxy reads them.
fn bytes(value: &str) -> Option<f64> {
    let value = value.to_uppercase();
    let suffix = BYTES.iter().find(|(suffix, _)| value.ends_with(suffix));
    let (number, factor) = match suffix {
        Some((suffix, factor)) => (value.strip_suffix(suffix)?, *factor),
        None => (value.as_str(), 1.0),
    };
    let number = number.trim();
    // Python reads exponents as well.
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.E_".contains(&byte));
    if is_number { Some(number.replace('_', "").parse::<f64>().ok()? * factor) } else { None }
}

/// A quantity as the API server reads it.
fn quantity(value: &str) -> Option<f64> {
    let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
    let (number, suffix) = split_number(unsigned);
    if number.matches('.').count() > 1 || !number.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = suffix.strip_prefix(['e', 'E']).and_then(plain).filter(|exponent| exponent.fract() == 0.0);
    let factor = match exponent {
        Some(exponent) => 10_f64.powf(exponent),
        None => QUANTITIES.iter().find(|(known, _)| *known == suffix)?.1,
    };
    let amount = number.parse::<f64>().ok()? * factor;
    Some(if value.starts_with('-') { -amount } else { amount })
}

fn amount(name: &str, value: &str) -> Option<f64> {
    if is_memory(name) { bytes(value) } else { quantity(value) }
}

fn is_memory(name: &str) -> bool {
    name.ends_with("memory")
}

/// The faults of a request or a limit.
pub(super) fn resource(name: &str, value: &str, amounts: Amounts) -> Vec<Fault> {
    let is_memory = is_memory(name);
    // Galaxy leaves out an empty request of CPUs.
    if !is_memory && value.is_empty() {
        return Vec::new();
    }
    let help = if is_memory { "write `{mem}Gi`" } else { "write `{cores}`" };
    let fault = match amount(name, value) {
        None if is_memory => {
            let why = format!("`{name}` is a number with a unit such as `Gi` or `G`, or of bytes");
            Some(Fault::refused("Galaxy", value, why, help))
        }
        None => Some(Fault::refused(KUBERNETES, value, format!("`{name}` is a quantity: `8`, `0.5` or `500m`"), help)),
        Some(amount) if amount < 0.0 => Some(Fault::refused(KUBERNETES, value, "a resource is not below zero", help)),
        Some(amount) if is_memory => misread_memory(value, amount, amounts),
        Some(amount) => misread_cores(value, amount, amounts),
    };
    fault.into_iter().collect()
}

fn misread_memory(value: &str, bytes: f64, amounts: Amounts) -> Option<Fault> {
    let (mb, meant) = (bytes / 1_048_576.0, amounts.mem? * 1024.0);
    slip(mb, meant)?;
    let why = format!("Kubernetes takes this for {}, and the job has {}", shown(mb), shown(meant));
    Some(Fault::misread(KUBERNETES, value, why, "write `{mem}Gi`: `mem` is in GiB"))
}

/// CPUs in thousandths, or by the thousand.
fn misread_cores(value: &str, cores: f64, amounts: Amounts) -> Option<Fault> {
    let meant = amounts.cores?;
    slip(cores, meant)?;
    let why = format!(
        "Kubernetes takes this for {} CPUs, and the job has {}",
        super::memory::digits(cores),
        super::memory::digits(meant)
    );
    Some(Fault::misread(KUBERNETES, value, why, "write `{cores}`, without a unit"))
}

/// A limit that is lower than the request, with its name and text.
pub(super) fn bounds<'a>(params: &'a [(&'a str, String)], runner: Runner) -> Option<(&'a str, &'a str, Fault)> {
    let find = |name: &str| {
        let (name, text) = params.iter().find(|(known, _)| *known == name)?;
        matches!(super::readers::of(name, runner, params), Some(super::readers::Param::Kubernetes(_)))
            .then_some((*name, text.as_str()))
    };
    [("requests_memory", "limits_memory"), ("requests_cpu", "limits_cpu")].into_iter().find_map(|(request, limit)| {
        let ((_, requested), (name, limit)) = (find(request)?, find(limit)?);
        if amount(request, requested)? <= amount(name, limit)? {
            return None;
        }
        let why = format!("the limit is less than `{request}`, `{requested}`; `G` is 1000³ bytes, `Gi` 1024³");
        Some((
            name,
            limit,
            Fault::refused(KUBERNETES, limit, why, format!("give `{name}` at least as much as `{request}`")),
        ))
    })
}
