//! Four numbers that are computed with together: one SIMD register in WebAssembly, an array elsewhere. The arithmetic, and so
//! every bit, is the same.

use std::ops::{Add, Div, Mul, Sub};

/// So many numbers at a time.
pub(crate) const WIDTH: usize = 4;

/// Four numbers.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(register::Register);

impl Lanes {
    pub(crate) const ZERO: Self = Self(register::ZERO);

    #[inline(always)]
    pub(crate) fn load(from: &[f32; WIDTH]) -> Self {
        Self(register::load(from))
    }

    #[inline(always)]
    pub(crate) fn splat(number: f32) -> Self {
        Self(register::splat(number))
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [f32; WIDTH] {
        register::to_array(self.0)
    }

    /// Where `other` is larger, `other`: what is no number stays.
    #[inline(always)]
    pub(crate) fn or_larger(self, other: Self) -> Self {
        Self(register::or_larger(self.0, other.0))
    }

    /// Where `other` is smaller, `other`: what is no number stays.
    #[inline(always)]
    pub(crate) fn or_smaller(self, other: Self) -> Self {
        Self(register::or_smaller(self.0, other.0))
    }

    /// The largest of the four, in all four.
    #[inline(always)]
    pub(crate) fn largest(self) -> Self {
        let pairs = self.or_larger(Self(register::swap_halves(self.0)));
        pairs.or_larger(Self(register::swap_neighbours(pairs.0)))
    }

    /// The first `count` of them, and `other` in the place of the rest.
    #[inline(always)]
    pub(crate) fn first_or(self, count: usize, other: Self) -> Self {
        Self(register::first_or(self.0, count, other.0))
    }

    /// Its bits less those of `other`, as whole numbers.
    #[inline(always)]
    pub(crate) fn bits_less(self, other: Self) -> Self {
        Self(register::bits_less(self.0, other.0))
    }

    /// Its bits as whole numbers, halved and rounded down.
    #[inline(always)]
    pub(crate) fn bits_halved(self) -> Self {
        Self(register::bits_halved(self.0))
    }

    /// 2^n for its bits as whole numbers n, −126 ≤ n ≤ 127.
    #[inline(always)]
    pub(crate) fn two_to_bits(self) -> Self {
        Self(register::two_to_bits(self.0))
    }
}

macro_rules! arithmetic {
    ($($name:ident $method:ident),*) => {$(
        impl $name for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(register::$method(self.0, other.0))
            }
        }
    )*};
}

arithmetic!(Add add, Sub sub, Mul mul, Div div);

#[cfg(target_arch = "wasm32")]
mod register {
    use core::arch::wasm32::{
        f32x4, f32x4_extract_lane, i32x4, i32x4_add, i32x4_gt, i32x4_shl, i32x4_shr, i32x4_shuffle, i32x4_splat, v128,
        v128_bitselect,
    };
    pub(super) use core::arch::wasm32::{
        f32x4_add as add, f32x4_div as div, f32x4_mul as mul, f32x4_pmax as or_larger, f32x4_pmin as or_smaller,
        f32x4_splat as splat, f32x4_sub as sub, i32x4_sub as bits_less,
    };

    pub(super) type Register = v128;

    pub(super) const ZERO: Register = f32x4(0.0, 0.0, 0.0, 0.0);

    #[inline(always)]
    pub(super) fn load(from: &[f32; 4]) -> Register {
        f32x4(from[0], from[1], from[2], from[3])
    }

    #[inline(always)]
    pub(super) fn to_array(x: Register) -> [f32; 4] {
        [f32x4_extract_lane::<0>(x), f32x4_extract_lane::<1>(x), f32x4_extract_lane::<2>(x), f32x4_extract_lane::<3>(x)]
    }

    #[inline(always)]
    pub(super) fn swap_halves(x: Register) -> Register {
        i32x4_shuffle::<2, 3, 0, 1>(x, x)
    }

    #[inline(always)]
    pub(super) fn swap_neighbours(x: Register) -> Register {
        i32x4_shuffle::<1, 0, 3, 2>(x, x)
    }

    #[inline(always)]
    pub(super) fn first_or(x: Register, count: usize, other: Register) -> Register {
        v128_bitselect(x, other, i32x4_gt(i32x4_splat(count as i32), i32x4(0, 1, 2, 3)))
    }

    #[inline(always)]
    pub(super) fn bits_halved(x: Register) -> Register {
        i32x4_shr(x, 1)
    }

    #[inline(always)]
    pub(super) fn two_to_bits(x: Register) -> Register {
        i32x4_shl(i32x4_add(x, i32x4_splat(127)), 23)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod register {
    use std::array::from_fn;

    pub(super) type Register = [f32; 4];

    pub(super) const ZERO: Register = [0.0; 4];

    #[inline(always)]
    pub(super) fn load(from: &[f32; 4]) -> Register {
        *from
    }

    #[inline(always)]
    pub(super) fn splat(number: f32) -> Register {
        [number; 4]
    }

    #[inline(always)]
    pub(super) fn to_array(x: Register) -> [f32; 4] {
        x
    }

    macro_rules! lane_by_lane {
        ($($name:ident($x:ident, $y:ident) = $result:expr;)*) => {$(
            #[inline(always)]
            pub(super) fn $name(x: Register, y: Register) -> Register {
                from_fn(|lane| {
                    let ($x, $y) = (x[lane], y[lane]);
                    $result
                })
            }
        )*};
    }

    lane_by_lane! {
        add(x, y) = x + y;
        sub(x, y) = x - y;
        mul(x, y) = x * y;
        div(x, y) = x / y;
        or_larger(x, y) = if x < y { y } else { x };
        or_smaller(x, y) = if y < x { y } else { x };
        bits_less(x, y) = f32::from_bits(x.to_bits().wrapping_sub(y.to_bits()));
    }

    #[inline(always)]
    pub(super) fn swap_halves(x: Register) -> Register {
        [x[2], x[3], x[0], x[1]]
    }

    #[inline(always)]
    pub(super) fn swap_neighbours(x: Register) -> Register {
        [x[1], x[0], x[3], x[2]]
    }

    #[inline(always)]
    pub(super) fn first_or(x: Register, count: usize, other: Register) -> Register {
        from_fn(|lane| if lane < count { x[lane] } else { other[lane] })
    }

    #[inline(always)]
    pub(super) fn bits_halved(x: Register) -> Register {
        x.map(|x| f32::from_bits((x.to_bits().cast_signed() >> 1).cast_unsigned()))
    }

    #[inline(always)]
    pub(super) fn two_to_bits(x: Register) -> Register {
        x.map(|x| f32::from_bits(x.to_bits().wrapping_add(127) << 23))
    }
}
