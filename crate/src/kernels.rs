//! Matrix products: one kernel for weights, attention scores and the mix of values, for one row or many.
//!
//! Every product of a pass goes through [`matmul`], and [`matmul`] counts its multiply-adds where it makes them; the
//! closed formulas of [`crate::flops`] are tested against that count.
//!
//! Each output is one sum over k in plain order, starting at zero, whatever the tile: a prefill of n rows gives the
//! bits of n single rows, and [`naive_matmul`], the definition, gives them too.

use crate::error::Error;
use lanes::Lanes;

/// Columns that one step of the kernel handles together: a panel's width.
pub const PANEL: usize = 8;

/// A zeroed buffer of `len` numbers, or an error where the memory cannot be had.
///
/// Plain `vec!` would abort instead, and an abort inside WebAssembly ends the whole instance.
pub(crate) fn zeros(len: usize) -> Result<Vec<f32>, Error> {
    let mut buffer = Vec::new();
    grow(&mut buffer, len)?;
    Ok(buffer)
}

/// Makes `buffer` at least `len` long, filling with zeros; unchanged on error.
pub(crate) fn grow(buffer: &mut Vec<f32>, len: usize) -> Result<(), Error> {
    let more = len.saturating_sub(buffer.len());
    buffer.try_reserve_exact(more).map_err(|_| Error::OutOfMemory { bytes: len as u64 * size_of::<f32>() as u64 })?;
    buffer.resize(len.max(buffer.len()), 0.0);
    Ok(())
}

/// Whether so much memory can be had, by taking it and giving it back at once: nothing is written to it.
pub(crate) fn ensure_memory(bytes: u64) -> Result<(), Error> {
    let refused = || Error::OutOfMemory { bytes };
    // No single buffer may be longer than half the address space; all of them together may. As few parts as there can be:
    // what was taken for those that fitted stays with the allocator.
    const PART: usize = isize::MAX as usize;
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut left = usize::try_from(bytes).map_err(|_| refused())?;
    while left > 0 {
        let part = left.min(PART);
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(part).map_err(|_| refused())?;
        parts.push(buffer);
        left -= part;
    }
    Ok(())
}

/// A matrix (k, n) read [`PANEL`] columns at a time; a borrowed view.
///
/// Element (i, j) stands at `data[(j / PANEL) * panel_stride + i * row_stride + j % PANEL]`. Packed weights, the
/// transposed keys and the values of the cache are all of this form. Where n is no multiple of [`PANEL`], the
/// last panel is padded in memory; the padding is neither written out nor counted.
#[derive(Debug, Clone, Copy)]
pub struct Panels<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// Rows: the length of each sum.
    pub k: usize,
    /// Columns: the number of outputs.
    pub n: usize,
    /// From one row to the next within a panel.
    pub row_stride: usize,
    /// From one panel to the next.
    pub panel_stride: usize,
}

impl Panels<'_> {
    /// Element (i, j), for the naive twin and for tests.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> f32 {
        self.data[(j / PANEL) * self.panel_stride + i * self.row_stride + j % PANEL]
    }
}

/// A weight matrix (k, n), packed once at load as `[n / PANEL][k][PANEL]`.
#[derive(Debug, Clone)]
pub struct PackedMatrix {
    data: Vec<f32>,
    k: usize,
    n: usize,
}

impl PackedMatrix {
    /// Packs the matrix whose element (i, j) is `element(i, j)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn pack(k: usize, n: usize, element: impl Fn(usize, usize) -> f32) -> Result<Self, Error> {
        let mut data = zeros(k * n.next_multiple_of(PANEL))?;
        for j in 0..n {
            for i in 0..k {
                data[((j / PANEL) * k + i) * PANEL + j % PANEL] = element(i, j);
            }
        }
        Ok(Self { data, k, n })
    }

    /// Rows and columns, (k, n).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.k, self.n)
    }

    /// The view that [`matmul`] takes.
    #[must_use]
    pub fn panels(&self) -> Panels<'_> {
        Panels { data: &self.data, k: self.k, n: self.n, row_stride: PANEL, panel_stride: self.k * PANEL }
    }
}

/// Rows of a dense matrix, `stride` numbers apart; row r of width w is `data[r * stride..r * stride + w]`.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The numbers, from the first row's first.
    pub data: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
}

impl<'a> Rows<'a> {
    fn row(&self, r: usize, width: usize) -> &'a [f32] {
        &self.data[r * self.stride..][..width]
    }
}

/// What becomes of a product's sums before they are stored. A bias is (n,), with zeros up to a whole panel.
#[derive(Debug, Clone, Copy)]
pub enum Then<'a> {
    /// out = sum.
    Store,
    /// out = sum + bias.
    Bias(&'a [f32]),
    /// out += sum + bias: back onto the residual stream.
    BiasAdd(&'a [f32]),
}

/// `x` (rows, k) · `w` (k, n) → `out` (rows, n), whose rows stand `out_stride` apart.
///
/// Every sum runs over k in plain order, whatever the tile, so that a prefill and its decode steps have the same bits.
/// Returns the number of multiply-adds made, counted tile by tile. Cost: 2·rows·k·n FLOPs.
/// Shapes are the caller's duty; a buffer that is too short is a bug, not an input.
#[must_use]
pub fn matmul(x: Rows<'_>, rows: usize, w: Panels<'_>, then: Then<'_>, out: &mut [f32], out_stride: usize) -> u64 {
    let mut product = Product { x, w, then, out, out_stride, multiply_adds: 0 };
    let panels = w.n.div_ceil(PANEL);
    let together = rows - rows % 4;
    // Four rows share each load of a panel, and a panel stays in the fastest cache for all of them.
    if together > 0 {
        for panel in 0..panels {
            for row in (0..together).step_by(4) {
                product.tile::<4, 1>(row, panel);
            }
        }
    }
    // A row on its own: panels together hide the latency of the adds, while they stand in a cache. Long ones come from memory,
    // which gives most where it is read from one end to the other.
    for row in together..rows {
        let mut panel = 0;
        if w.k <= LONGEST_AT_ONCE {
            while panel + 4 <= panels {
                product.tile::<1, 4>(row, panel);
                panel += 4;
            }
            if panel + 2 <= panels {
                product.tile::<1, 2>(row, panel);
                panel += 2;
            }
        }
        while panel < panels {
            product.tile::<1, 1>(row, panel);
            panel += 1;
        }
    }
    product.multiply_adds
}

/// The longest sums of which several panels are read at once.
const LONGEST_AT_ONCE: usize = 256;

/// A product on its way.
struct Product<'a> {
    x: Rows<'a>,
    w: Panels<'a>,
    then: Then<'a>,
    out: &'a mut [f32],
    out_stride: usize,
    multiply_adds: u64,
}

impl Product<'_> {
    /// One tile: R rows times P panels, all of k, in registers.
    #[inline]
    #[expect(unsafe_code, reason = "bounds that are checked in each step cost a third of the speed")]
    fn tile<const R: usize, const P: usize>(&mut self, first_row: usize, first_panel: usize) {
        let Panels { data, k, row_stride, panel_stride, .. } = self.w;
        let x: [&[f32]; R] = std::array::from_fn(|r| self.x.row(first_row + r, k));
        // All that the loop reads of a panel: the slice says so once, and not in each step.
        let length = k.saturating_sub(1) * row_stride + PANEL;
        let panels: [&[f32]; P] = std::array::from_fn(|p| &data[(first_panel + p) * panel_stride..][..length]);
        let mut sums = [[[Lanes::ZERO; 2]; P]; R];
        for i in 0..k {
            for p in 0..P {
                // SAFETY: i < k, and `panels[p]` ends PANEL numbers after the beginning of its row k − 1.
                let weights = unsafe {
                    let row = panels[p].as_ptr().add(i * row_stride);
                    [Lanes::load(row), Lanes::load(row.add(Lanes::COUNT))]
                };
                for r in 0..R {
                    // SAFETY: i < k, the length of each row.
                    let factor = Lanes::splat(unsafe { *x[r].get_unchecked(i) });
                    for half in 0..2 {
                        sums[r][p][half] = sums[r][p][half].plus(factor.times(weights[half]));
                    }
                }
            }
        }
        for (p, column) in (0..P).map(|p| (p, (first_panel + p) * PANEL)) {
            let columns = PANEL.min(self.w.n - column);
            for (r, sums) in sums.iter().enumerate() {
                let out = &mut self.out[(first_row + r) * self.out_stride + column..][..columns];
                match out.first_chunk_mut() {
                    Some(out) => whole_panel(&sums[p], self.then, column, out),
                    None => part_of_panel(&sums[p], self.then, column, out),
                }
            }
            self.multiply_adds += (k * columns * R) as u64;
        }
    }
}

/// Stores the sums of one row of one panel.
#[inline(always)]
#[expect(unsafe_code, reason = "reads and writes arrays of known length")]
fn whole_panel(sums: &[Lanes; 2], then: Then<'_>, column: usize, out: &mut [f32; PANEL]) {
    let lanes = |numbers: &[f32]| {
        let numbers: &[f32; PANEL] = numbers.first_chunk().unwrap_or(&[0.0; PANEL]);
        // SAFETY: PANEL numbers are twice as many as the lanes.
        unsafe { [Lanes::load(numbers.as_ptr()), Lanes::load(numbers.as_ptr().add(Lanes::COUNT))] }
    };
    let mut sums = *sums;
    if let Then::Bias(bias) | Then::BiasAdd(bias) = then {
        let bias = lanes(&bias[column..]);
        sums = [sums[0].plus(bias[0]), sums[1].plus(bias[1])];
    }
    if let Then::BiasAdd(_) = then {
        let before = lanes(out);
        sums = [before[0].plus(sums[0]), before[1].plus(sums[1])];
    }
    // SAFETY: as above.
    unsafe {
        sums[0].store(out.as_mut_ptr());
        sums[1].store(out.as_mut_ptr().add(Lanes::COUNT));
    }
}

/// The same where only the first of the panel's columns are none of its padding.
#[cold]
fn part_of_panel(sums: &[Lanes; 2], then: Then<'_>, column: usize, out: &mut [f32]) {
    let mut whole = [0.0; PANEL];
    whole[..out.len()].copy_from_slice(out);
    whole_panel(sums, then, column, &mut whole);
    out.copy_from_slice(&whole[..out.len()]);
}

/// The definition of [`matmul`]: three loops, one multiply-add at a time. Slow; the same bits and the same count.
#[must_use]
pub fn naive_matmul(
    x: Rows<'_>,
    rows: usize,
    w: Panels<'_>,
    then: Then<'_>,
    out: &mut [f32],
    out_stride: usize,
) -> u64 {
    let mut multiply_adds = 0;
    for r in 0..rows {
        for j in 0..w.n {
            let mut sum = 0.0;
            for (i, factor) in x.row(r, w.k).iter().enumerate() {
                sum += factor * w.at(i, j);
                multiply_adds += 1;
            }
            let out = &mut out[r * out_stride + j];
            *out = match then {
                Then::Store => sum,
                Then::Bias(bias) => sum + bias[j],
                Then::BiasAdd(bias) => *out + (sum + bias[j]),
            };
        }
    }
    multiply_adds
}

/// Four numbers that are computed with together: one SIMD register in WebAssembly, an array elsewhere. The arithmetic, and so
/// every bit, is the same.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "reads and writes by pointer, as the instructions do")]
mod lanes {
    use core::arch::wasm32::{f32x4, f32x4_add, f32x4_mul, f32x4_splat, v128, v128_load, v128_store};

    #[derive(Clone, Copy)]
    pub(super) struct Lanes(v128);

    impl Lanes {
        pub(super) const COUNT: usize = 4;
        pub(super) const ZERO: Self = Self(f32x4(0.0, 0.0, 0.0, 0.0));

        /// SAFETY: four numbers can be read there.
        #[inline(always)]
        pub(super) unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { v128_load(from.cast()) })
        }

        /// SAFETY: four numbers can be written there.
        #[inline(always)]
        pub(super) unsafe fn store(self, to: *mut f32) {
            unsafe { v128_store(to.cast(), self.0) }
        }

        #[inline(always)]
        pub(super) fn splat(number: f32) -> Self {
            Self(f32x4_splat(number))
        }

        #[inline(always)]
        pub(super) fn times(self, other: Self) -> Self {
            Self(f32x4_mul(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn plus(self, other: Self) -> Self {
            Self(f32x4_add(self.0, other.0))
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(unsafe_code, reason = "the signatures are those of the other one")]
mod lanes {
    #[derive(Clone, Copy)]
    pub(super) struct Lanes([f32; 4]);

    impl Lanes {
        pub(super) const COUNT: usize = 4;
        pub(super) const ZERO: Self = Self([0.0; 4]);

        /// SAFETY: four numbers can be read there.
        #[inline(always)]
        pub(super) unsafe fn load(from: *const f32) -> Self {
            Self(unsafe { from.cast::<[f32; 4]>().read() })
        }

        /// SAFETY: four numbers can be written there.
        #[inline(always)]
        pub(super) unsafe fn store(self, to: *mut f32) {
            unsafe { to.cast::<[f32; 4]>().write(self.0) }
        }

        #[inline(always)]
        pub(super) fn splat(number: f32) -> Self {
            Self([number; 4])
        }

        #[inline(always)]
        pub(super) fn times(self, other: Self) -> Self {
            Self(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
        }

        #[inline(always)]
        pub(super) fn plus(self, other: Self) -> Self {
            Self(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
        }
    }
}
