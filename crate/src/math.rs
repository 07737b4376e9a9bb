//! The closed list of numeric functions: [`exp`], [`gelu`], [`max`], [`sum`], [`sum_of_exp`], [`softmax`] and
//! [`masked_softmax`], [`layer_norm`].
//!
//! The standard library's `exp` and `tanh` differ between targets in the last bit. These use only `+ − × ÷ √`, comparisons
//! and bit patterns, which IEEE 754 fixes, so that a run repeats bit for bit on every machine. Sums run in
//! [`LANES`] interleaved partial sums that are folded in a fixed order, whatever the machine's vectors are like.

use std::hint::black_box;

use crate::lanes::{Lanes, WIDTH};

/// Partial sums that [`sum`] keeps: value `i` goes to partial sum `i % LANES`.
pub const LANES: usize = 2 * WIDTH;

/// The numbers of [`exp`] and [`gelu`].
///
/// They are read from memory: a browser's compiler makes a constant vector out of three instructions, each time it is used.
struct Constants {
    least: f32,
    most: f32,
    log2_e: f32,
    round: f32,
    ln_2_high: f32,
    ln_2_low: f32,
    polynomial: [f32; 6],
    one: f32,
    gelu: [f32; 3],
}

static CONSTANTS: Constants = Constants {
    least: -104.0,
    most: 89.0,
    log2_e: std::f32::consts::LOG2_E,
    // Adding 1.5 · 2^23 pushes the fraction out of the mantissa: rounding to the nearest whole number.
    round: 12_582_912.0,
    // ln 2 in two parts; the first has trailing zeros, so that n · ln_2_high is exact.
    ln_2_high: 0.693_359_4,
    ln_2_low: -2.121_944_4e-4,
    polynomial: [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5.0e-1],
    one: 1.0,
    // √(2/π) and the factor of the cube, then the −2 of the exponent.
    gelu: [0.797_884_6, 0.044_715, -2.0],
};

/// The constants as numbers that the compiler does not know.
#[inline(always)]
fn constants() -> &'static Constants {
    black_box(&CONSTANTS)
}

/// e^x within 2 units in the last place, for every `x`; 0 below −104, +∞ above 89, NaN for NaN.
///
/// x = n·ln 2 + r with |r| ≤ ln 2 / 2, so e^x = 2^n · e^r; e^r is a polynomial of degree 7.
/// Source: Cephes `expf` (Moshier), range reduction after Cody and Waite 1980.
#[must_use]
pub fn exp(x: f32) -> f32 {
    exp_of_lanes(Lanes::splat(x), constants()).to_array()[0]
}

#[inline(always)]
fn exp_of_lanes(x: Lanes, c: &Constants) -> Lanes {
    let [one, round] = [c.one, c.round].map(Lanes::splat);
    let x = x.or_larger(Lanes::splat(c.least)).or_smaller(Lanes::splat(c.most));
    let shifted = x * Lanes::splat(c.log2_e) + round;
    let n = shifted - round;
    let r = (x - n * Lanes::splat(c.ln_2_high)) - n * Lanes::splat(c.ln_2_low);
    let [first, rest @ ..] = c.polynomial.map(Lanes::splat);
    let polynomial = rest.into_iter().fold(first, |sum, factor| sum * r + factor);
    let e_to_r = polynomial * (r * r) + r + one;
    // The whole number is what the addition left in the lowest bits: cheaper than a conversion.
    let n = shifted.bits_less(round);
    // 2^n in two factors: n reaches from −150 to 128, and one exponent field does not.
    let half = n.bits_halved();
    e_to_r * half.two_to_bits() * n.bits_less(half).two_to_bits()
}

/// The Gaussian error linear unit in its tanh form, Hugging Face's `gelu_new`, of each of `values` in place.
///
/// ½x(1 + tanh u) with u = √(2/π)·(x + 0.044715x³). Since ½(1 + tanh u) = 1 / (1 + e^(−2u)), one `exp` is enough.
/// Source: Hendrycks and Gimpel 2016, section 2.
pub fn gelu(values: &mut [f32]) {
    let c = constants();
    let [root, cube, minus_two] = c.gelu.map(Lanes::splat);
    for_each_lanes(values, |x| {
        let u = root * (x + cube * (x * x * x));
        x / (Lanes::splat(c.one) + exp_of_lanes(minus_two * u, c))
    });
}

/// `values` in place, four at a time.
#[inline(always)]
fn for_each_lanes(values: &mut [f32], f: impl Fn(Lanes) -> Lanes) {
    let (whole, rest) = values.as_chunks_mut();
    for lanes in whole {
        *lanes = f(Lanes::load(lanes)).to_array();
    }
    if !rest.is_empty() {
        let mut padded = [0.0; WIDTH];
        padded[..rest.len()].copy_from_slice(rest);
        rest.copy_from_slice(&f(Lanes::load(&padded)).to_array()[..rest.len()]);
    }
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
    let lowest = Lanes::splat(f32::NEG_INFINITY);
    let (whole, rest) = values.as_chunks();
    let largest = whole.iter().fold(lowest, |largest, lanes| largest.or_larger(Lanes::load(lanes)));
    let largest = largest.largest().to_array()[0];
    rest.iter().fold(largest, |a, &b| if b > a { b } else { a })
}

/// Sum of e^(x − `max`) of all `values` in 64 bits, in the order of [`sum`].
#[must_use]
pub fn sum_of_exp(values: &[f32], max: f32) -> f64 {
    let (c, max) = (constants(), Lanes::splat(max));
    let mut partial = [0.0_f64; LANES];
    for chunk in values.chunks(LANES) {
        // e^(−∞) is 0.
        let mut whole = [f32::NEG_INFINITY; LANES];
        whole[..chunk.len()].copy_from_slice(chunk);
        for_each_lanes(&mut whole, |x| exp_of_lanes(x - max, c));
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
    after.fill(0.0);
    let (c, scale, lowest) = (constants(), Lanes::splat(scale), Lanes::splat(f32::NEG_INFINITY));
    let pairs = within.as_chunks_mut::<WIDTH>().0;
    // What is not visible: the end of the last pair of lanes.
    let mut largest = lowest;
    let mut left = visible;
    for lanes in pairs.iter_mut() {
        let scaled = (Lanes::load(lanes) * scale).first_or(left, lowest);
        left = left.saturating_sub(WIDTH);
        largest = largest.or_larger(scaled);
        *lanes = scaled.to_array();
    }
    let largest = largest.largest();
    let mut partial = [Lanes::ZERO; 2];
    for pair in pairs.as_chunks_mut::<2>().0 {
        for (p, lanes) in partial.iter_mut().zip(pair) {
            let weights = exp_of_lanes(Lanes::load(lanes) - largest, c);
            *p = *p + weights;
            *lanes = weights.to_array();
        }
    }
    let sum = partial.iter().flat_map(|p| p.to_array()).fold(0.0, |a, b| a + b);
    let normaliser = Lanes::splat(1.0 / sum);
    for lanes in pairs {
        *lanes = (Lanes::load(lanes) * normaliser).to_array();
    }
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
        let mut values = [-1.0, 3.0, 0.0, -1e9, 1e9];
        gelu(&mut values);
        assert!((values[0] - -0.158_808).abs() < 1e-6);
        assert!((values[1] - 2.996_363).abs() < 1e-6);
        assert_eq!(values[2..], [0.0, 0.0, 1e9]);
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
