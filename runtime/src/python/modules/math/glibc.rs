//! Functions of `math` whose last bit shows which C library computes them: as glibc does (2.36 and its neighbours), which
//! CPython calls on Linux. Their sources are Sun's fdlibm in the order of evaluation that glibc gives it.

use std::f64::consts::LN_2;

/// `1 + c1 s + c2 s^2 + ...`, or with another first number, in pairs, as glibc adds it.
fn in_pairs(s: f64, coefficients: &[f64]) -> f64 {
    let s2 = s * s;
    let s4 = s2 * s2;
    let powers = [1.0, s2, s4, s4 * s2, s4 * s4];
    let pair = |pair: &[f64]| match pair {
        [even, odd] => even + s * odd,
        other => other.first().copied().unwrap_or_default(),
    };
    let mut parts = coefficients.chunks(2).zip(powers);
    let first = parts.next().map_or(0.0, |(coefficients, _)| pair(coefficients));
    parts.fold(first, |sum, (coefficients, power)| sum + power * pair(coefficients))
}

/// `erf(1)`, rounded to a float of 32 bits.
const ERX: f64 = 0.8450629115104675;
/// `2 / sqrt(pi) - 1`
const EFX: f64 = 0.1283791670955126;

// Below 0.84375: `erf(x) = x + x R(x^2)`.
const PP: &[f64] =
    &[0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442, -2.3763016656650163e-05];
const QQ: &[f64] = &[
    1.0,
    0.39791722395915535,
    0.0650222499887673,
    0.005081306281875766,
    0.00013249473800432164,
    -3.960228278775368e-06,
];
// Up to 1.25: `erf(x) = ERX + P(|x| - 1)`.
const PA: &[f64] = &[
    -0.0023621185607526594,
    0.41485611868374833,
    -0.3722078760357013,
    0.31834661990116175,
    -0.11089469428239668,
    0.035478304325618236,
    -0.002166375594868791,
];
const QA: &[f64] = &[
    1.0,
    0.10642088040084423,
    0.540397917702171,
    0.07182865441419627,
    0.12617121980876164,
    0.01363708391202905,
    0.011984499846799107,
];
// Up to 1 / 0.35: `erfc(x) = exp(-x^2 - 0.5625 + R(1 / x^2)) / x`.
const RA: &[f64] = &[
    -0.009864944034847148,
    -0.6938585727071818,
    -10.558626225323291,
    -62.375332450326006,
    -162.39666946257347,
    -184.60509290671104,
    -81.2874355063066,
    -9.814329344169145,
];
const SA: &[f64] = &[
    1.0,
    19.651271667439257,
    137.65775414351904,
    434.56587747522923,
    645.3872717332679,
    429.00814002756783,
    108.63500554177944,
    6.570249770319282,
    -0.0604244152148581,
];
// Above.
const RB: &[f64] = &[
    -0.0098649429247001,
    -0.799283237680523,
    -17.757954917754752,
    -160.63638485582192,
    -637.5664433683896,
    -1025.0951316110772,
    -483.5191916086514,
];
const SB: &[f64] = &[
    1.0,
    30.33806074348246,
    325.7925129965739,
    1536.729586084437,
    3199.8582195085955,
    2553.0504064331644,
    474.52854120695537,
    -22.44095244658582,
];

/// `R(1 / x^2)` and the exponentials of it, for `x` from 1.25: `erfc(x)` times `x`.
fn tail(x: f64) -> f64 {
    let s = 1.0 / (x * x);
    // 0x4006db6d00000000, near 1 / 0.35
    let quotient =
        if x < 2.857_142_448_425_293 { in_pairs(s, RA) / in_pairs(s, SA) } else { in_pairs(s, RB) / in_pairs(s, SB) };
    // The upper half of the number, whose square is exact.
    let z = f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000);
    (-z * z - 0.5625).exp() * ((z - x) * (z + x) + quotient).exp()
}

/// `math.erf(x)`
pub(super) fn erf(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() {
        return x;
    }
    let magnitude = if size < 0.84375 {
        if size < 3.725_290_298_461_914e-9 {
            return if size < f64::MIN_POSITIVE { 0.0625 * (16.0 * x + (16.0 * EFX) * x) } else { x + EFX * x };
        }
        let z = x * x;
        return x + x * (in_pairs(z, PP) / in_pairs(z, QQ));
    } else if size < 1.25 {
        let s = size - 1.0;
        ERX + in_pairs(s, PA) / in_pairs(s, QA)
    } else if size < 6.0 {
        1.0 - tail(size) / size
    } else {
        1.0
    };
    magnitude.copysign(x)
}

/// `math.erfc(x)`
pub(super) fn erfc(x: f64) -> f64 {
    let size = x.abs();
    if x.is_nan() {
        return x;
    }
    if size < 0.84375 {
        if size < 1.387_778_780_781_445_7e-17 {
            return 1.0 - x;
        }
        let z = x * x;
        let y = in_pairs(z, PP) / in_pairs(z, QQ);
        return if x < 0.25 { 1.0 - (x + x * y) } else { 0.5 - (x * y + (x - 0.5)) };
    }
    if size < 1.25 {
        let s = size - 1.0;
        let part = in_pairs(s, PA) / in_pairs(s, QA);
        return if x >= 0.0 { (1.0 - ERX) - part } else { 1.0 + (ERX + part) };
    }
    match (size < 28.0, x > 0.0) {
        (true, true) => tail(size) / size,
        (true, false) if size < 6.0 => 2.0 - tail(size) / size,
        (false, true) => 0.0,
        _ => 2.0,
    }
}

/// `math.cbrt(x)`: a polynomial for the root of the mantissa, one step of Halley's method, and the exponent's part.
pub(super) fn cbrt(x: f64) -> f64 {
    const ROOT: f64 = 1.259_921_049_894_873_2;
    const SQUARE: f64 = 1.587_401_051_968_199_6;
    const FACTORS: [f64; 5] = [1.0 / SQUARE, 1.0 / ROOT, 1.0, ROOT, SQUARE];
    if x == 0.0 || !x.is_finite() {
        return x + x;
    }
    let (mantissa, exponent) = libm::frexp(x.abs());
    let u = 0.354_895_765_043_919_86
        + ((1.508_191_937_815_849
            - ((2.114_994_941_673_713
                - ((2.446_931_225_635_344_4
                    - ((1.834_692_774_836_130_8
                        - (0.784_932_344_976_639_2 - 0.145_263_899_385_486_37 * mantissa) * mantissa)
                        * mantissa))
                    * mantissa))
                * mantissa))
            * mantissa);
    let cube = u * u * u;
    let factor = usize::try_from(2 + exponent % 3).ok().and_then(|index| FACTORS.get(index)).copied();
    let root = u * (cube + 2.0 * mantissa) / (2.0 * cube + mantissa) * factor.unwrap_or(1.0);
    libm::ldexp(root.copysign(x), exponent / 3)
}

/// `math.asinh(x)`
pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if size < 3.725_290_298_461_914e-9 || !x.is_finite() {
        return x;
    }
    let result = if size > 268_435_456.0 {
        size.ln() + LN_2
    } else if size > 2.0 {
        (2.0 * size + 1.0 / ((size * size + 1.0).sqrt() + size)).ln()
    } else {
        let square = size * size;
        (size + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// `math.acosh(x)`
pub(super) fn acosh(x: f64) -> f64 {
    if x > 2.0 {
        return match x {
            x if x.is_infinite() => x,
            x if x >= 268_435_456.0 => x.ln() + LN_2,
            x => (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln(),
        };
    }
    if x < 1.0 || x.is_nan() {
        return f64::NAN;
    }
    let t = x - 1.0;
    (t + (2.0 * t + t * t).sqrt()).ln_1p()
}

/// `math.atanh(x)`
pub(super) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    if size < 3.725_290_298_461_914e-9 || x.is_nan() {
        return x;
    }
    let twice = size + size;
    let result = if size < 0.5 {
        0.5 * (twice + twice * size / (1.0 - size)).ln_1p()
    } else if size < 1.0 {
        0.5 * (twice / (1.0 - size)).ln_1p()
    } else {
        // There is a pole at 1, and nothing beyond.
        return if size > 1.0 { f64::NAN } else { x / 0.0 };
    };
    result.copysign(x)
}
