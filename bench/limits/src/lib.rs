//! The limits that the benchmark measures every contestant against: simd128 multiply-adds and bytes read per second.

#![cfg(target_arch = "wasm32")]
#![expect(unsafe_code, reason = "plain exports, without glue, and reads by pointer")]

use core::arch::wasm32::{f32x4, f32x4_add, f32x4_extract_lane, f32x4_mul, f32x4_splat, v128, v128_load, v128_xor};

/// Independent sums: enough to hide the latency of an add, few enough for sixteen registers.
const CHAINS: usize = 7;

/// Registers that [`read`] fills in turn.
const READS: usize = 8;

/// Multiplies and adds in one round of [`multiply_adds`]: chains of 4 lanes, 16 times.
#[unsafe(no_mangle)]
pub extern "C" fn multiply_adds_a_round() -> u32 {
    (CHAINS * 4 * 16) as u32
}

/// So many rounds of multiply-adds that touch no memory. `flip` is −0, of which the compiler must not know that it changes the
/// factor's sign and nothing else: it would compute the products once.
#[unsafe(no_mangle)]
pub extern "C" fn multiply_adds(rounds: u32, flip: f32) -> f32 {
    let flip = f32x4_splat(flip);
    let mut factor = f32x4_splat(1.0);
    let numbers: [v128; CHAINS] = core::array::from_fn(|chain| f32x4_splat(1.0 + chain as f32));
    let mut sums = [f32x4_splat(0.0); CHAINS];
    for _ in 0..rounds {
        for _ in 0..16 {
            factor = v128_xor(factor, flip);
            for (number, sum) in numbers.iter().zip(&mut sums) {
                *sum = f32x4_add(*sum, f32x4_mul(*number, factor));
            }
        }
    }
    sums.into_iter().map(|lanes| f32x4_extract_lane::<0>(lanes)).sum()
}

/// A buffer of so many bytes, a multiple of 128, written once so that it is there.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(bytes: usize) -> *const v128 {
    let numbers: Vec<v128> = vec![f32x4(1.0, 2.0, 3.0, 4.0); bytes / 16];
    Box::leak(numbers.into_boxed_slice()).as_ptr()
}

/// Reads all of a buffer.
///
/// # Safety
/// `from` came from [`buffer`] with at least so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(from: *const v128, bytes: usize) -> f32 {
    let mut mixed = [f32x4(0.0, 0.0, 0.0, 0.0); READS];
    for chunk in 0..bytes / (16 * READS) {
        for (lane, mixed) in mixed.iter_mut().enumerate() {
            // SAFETY: within the buffer, by the caller's word.
            *mixed = v128_xor(*mixed, unsafe { v128_load(from.add(chunk * READS + lane)) });
        }
    }
    mixed.into_iter().map(|lanes| f32x4_extract_lane::<0>(lanes)).sum()
}
