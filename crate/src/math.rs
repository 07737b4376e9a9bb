//! The closed list of numeric functions: [`exp`], [`gelu`], [`max`], [`sum`], [`sum_of_wide`], [`softmax`] and
//! [`masked_softmax`], [`layer_norm`].
//!
//! The standard library's `exp` and `tanh` differ between targets in the last bit. These use only `+ − × ÷ √`, comparisons
//! and bit patterns, which IEEE 754 fixes, so that a run repeats bit for bit on every machine. Sums run in
//! [`LANES`] interleaved partial sums that are folded in a fixed order, whatever the machine's vectors are like.

/// Partial sums that [`sum`] keeps: value `i` goes to partial sum `i % LANES`.
pub const LANES: usize = 8;

/// e^x within 2 units in the last place, for every `x`; 0 below −104, +∞ above 89, NaN for NaN.
///
/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, so e^x = 2^n · e^r; e^r is a polynomial of degree 7.
/// Source: Cephes `expf` (Moshier), range reduction after Cody and Waite 1980.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    // Adding 1.5 · 2^23 pushes the fraction out of the mantissa: rounding to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts; the first has trailing zeros, so that n · LN_2_HIGH is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Not `clamp`: these two are one instruction each.
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut polynomial = 1.987_569_1e-4;
    polynomial = polynomial * r + 1.398_2e-3;
    polynomial = polynomial * r + 8.333_452e-3;
    polynomial = polynomial * r + 4.166_579_6e-2;
    polynomial = polynomial * r + 1.666_666_5e-1;
    polynomial = polynomial * r + 5.0e-1;
    let e_to_r = polynomial * (r * r) + r + 1.0;
    // The whole number is what the addition left in the lowest bits: cheaper than a conversion.
    let n = shifted.to_bits().wrapping_sub(ROUND.to_bits()).cast_signed();
    // 2^n in two factors: n reaches from −150 to 128, and one exponent field does not.
    let half = n >> 1;
    e_to_r * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// 2^n for −126 ≤ n ≤ 127, made from its bit pattern.
#[inline]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) << 23).cast_unsigned())
}

/// The Gaussian error linear unit in its tanh form, Hugging Face's `gelu_new`.
///
/// ½x(1 + tanh u) with u = √(2/π)·(x + 0.044715x³). Since ½(1 + tanh u) = 1 / (1 + e^(−2u)), one `exp` is enough.
/// Source: Hendrycks and Gimpel 2016, section 2.
#[inline]
#[must_use]
pub fn gelu(x: f32) -> f32 {
    const SQRT_2_OVER_PI: f32 = 0.797_884_6;
    let u = SQRT_2_OVER_PI * (x + 0.044_715 * (x * x * x));
    x / (1.0 + exp(-2.0 * u))
}

/// Sum of `values` in a fixed order: [`LANES`] interleaved partial sums, then those from left to right.
#[inline]
#[must_use]
pub fn sum(values: &[f32]) -> f32 {
    sum_of(values, |x| x)
}

#[inline]
fn sum_of(values: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut partial = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (p, &x) in partial.iter_mut().zip(chunk) {
            *p += f(x);
        }
    }
    for (p, &x) in partial.iter_mut().zip(rest) {
        *p += f(x);
    }
    partial.iter().fold(0.0, |a, b| a + b)
}

/// The largest of `values`; −∞ of none.
#[must_use]
pub fn max(values: &[f32]) -> f32 {
    let mut largest = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (l, &x) in largest.iter_mut().zip(chunk) {
            *l = larger(*l, x);
        }
    }
    rest.iter().chain(&largest).fold(f32::NEG_INFINITY, |a, &b| larger(a, b))
}

/// Sum of `f` of all values in 64 bits, in the order of [`sum`]; `f(−∞)` is 0.
#[inline]
pub fn sum_of_wide(values: &[f32], f: impl Fn(f32) -> f32) -> f64 {
    let mut partial = [0.0_f64; LANES];
    for chunk in values.chunks(LANES) {
        let mut whole = [f32::NEG_INFINITY; LANES];
        whole[..chunk.len()].copy_from_slice(chunk);
        for x in &mut whole {
            *x = f(*x);
        }
        for (p, x) in partial.iter_mut().zip(whole) {
            *p += f64::from(x);
        }
    }
    partial.iter().fold(0.0, |a, b| a + b)
}

/// Softmax in place: `x` (n,) → weights (n,) that sum to 1. The definition; a pass uses [`masked_softmax`].
///
/// The maximum is subtracted first, so that no finite input overflows. An empty slice stays empty.
pub fn softmax(x: &mut [f32]) {
    let max = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for value in x.iter_mut() {
        *value = exp(*value - max);
    }
    let scale = 1.0 / sum(x);
    for value in x.iter_mut() {
        *value *= scale;
    }
}

/// Softmax of the first `visible` of `scores`, times `scale`, in place; what stands after them becomes 0.
///
/// The bits are those of [`softmax`]: exp(−∞) is 0, and zeros at the end do not change a [`sum`]. The length is a multiple
/// of [`LANES`], so that nothing is left over for a slower loop.
pub fn masked_softmax(scores: &mut [f32], visible: usize, scale: f32) {
    let (within, after) = scores.split_at_mut(visible.next_multiple_of(LANES));
    within[visible..].fill(f32::NEG_INFINITY);
    after.fill(0.0);
    let chunks = within.as_chunks_mut::<LANES>().0;
    let mut largest = [f32::NEG_INFINITY; LANES];
    for chunk in chunks.iter_mut() {
        for (l, x) in largest.iter_mut().zip(chunk) {
            *x *= scale;
            *l = larger(*l, *x);
        }
    }
    let largest = largest.into_iter().fold(f32::NEG_INFINITY, larger);
    let mut partial = [0.0; LANES];
    for chunk in chunks.iter_mut() {
        for (p, x) in partial.iter_mut().zip(chunk) {
            *x = exp(*x - largest);
            *p += *x;
        }
    }
    let normaliser = 1.0 / partial.iter().fold(0.0, |a, b| a + b);
    for x in chunks.as_flattened_mut() {
        *x *= normaliser;
    }
}

#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Layer normalisation of one row: (x − mean) / √(variance + epsilon) · gain + bias, all (D,).
///
/// The variance is the mean of squares, without Bessel's correction. Source: Ba, Kiros and Hinton 2016, eq. 3.
pub fn layer_norm(x: &[f32], gain: &[f32], bias: &[f32], epsilon: f32, out: &mut [f32]) {
    let n = x.len() as f32;
    let mean = sum(x) / n;
    let variance = sum_of(x, |x| (x - mean) * (x - mean)) / n;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for (((out, &x), &gain), &bias) in out.iter_mut().zip(x).zip(gain).zip(bias) {
        *out = (x - mean) * scale * gain + bias;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units_in_the_last_place_of_double_precision() {
        let mut worst = 0.0_f64;
        let mut x = -87.0_f32;
        while x < 88.7 {
            let right = f64::from(x).exp();
            let unit = f64::from(f32::from_bits((right as f32).to_bits() + 1)) - f64::from(right as f32);
            worst = worst.max((f64::from(exp(x)) - right).abs() / unit);
            x += 0.000_917;
        }
        assert!(worst <= 2.0, "worst error {worst} units in the last place");
    }

    #[test]
    fn exp_reaches_its_ends() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(89.0), f32::INFINITY);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
        // Subnormal results are rounded, not flushed.
        assert!((f64::from(exp(-100.0)) - 3.783_505_853_677_006e-44).abs() < 2e-45);
    }

    #[test]
    fn gelu_is_the_tanh_form() {
        // The erf form would give −0.158655 and 2.995950.
        assert!((gelu(-1.0) - -0.158_808).abs() < 1e-6);
        assert!((gelu(3.0) - 2.996_363).abs() < 1e-6);
        assert_eq!(gelu(0.0), 0.0);
        assert_eq!(gelu(-1e9), 0.0);
        assert_eq!(gelu(1e9), 1e9);
    }

    #[test]
    fn softmax_survives_large_numbers() {
        for input in [vec![378.0, -292.0, 90.0, 0.0], vec![1e30, 0.0], vec![-1e30; 3], vec![3.4e38, -3.4e38]] {
            let mut x = input.clone();
            softmax(&mut x);
            assert!(x.iter().all(|p| p.is_finite() && *p >= 0.0), "{input:?} → {x:?}");
            assert!((sum(&x) - 1.0).abs() < 1e-6, "{input:?} → {x:?}");
        }
        let mut equal = [-1e30_f32; 3];
        softmax(&mut equal);
        assert_eq!(equal[0].to_bits(), equal[2].to_bits());
    }

    #[test]
    fn masked_softmax_has_the_bits_of_softmax_and_zeros_after_them() {
        let numbers: Vec<f32> = (0..40).map(|i| (i as f32 * 0.61).sin() * [1.0, 20.0, 1e30][i % 3]).collect();
        for visible in 1..=numbers.len() {
            for scale in [1.0, 0.353_553_4] {
                let mut plain: Vec<f32> = numbers[..visible].iter().map(|x| x * scale).collect();
                softmax(&mut plain);
                let mut masked = numbers.clone();
                masked_softmax(&mut masked, visible, scale);
                plain.resize(masked.len(), 0.0);
                let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
                assert_eq!(bits(&masked), bits(&plain), "{visible} visible, times {scale}");
            }
        }
    }

    #[test]
    fn appended_zeros_do_not_change_a_sum() {
        let values: Vec<f32> = (0..21).map(|i| (i as f32 * 0.37).sin()).collect();
        for n in 0..values.len() {
            let mut padded = values[..n].to_vec();
            padded.extend([0.0; 13]);
            assert_eq!(sum(&values[..n]).to_bits(), sum(&padded).to_bits());
        }
    }
}
