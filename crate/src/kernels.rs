//! Matrix products: one kernel for weights, attention scores and the mix of values, for one row or many.
//!
//! Every product of a pass goes through [`matmul`], and [`matmul`] counts its multiply-adds where it makes them; the
//! closed formulas of [`crate::flops`] are tested against that count.
//!
//! Each output is one sum over k in plain order, starting at zero, whatever the tile: a prefill of n rows gives the
//! bits of n single rows, and [`naive_matmul`], the definition, gives them too.

use crate::error::Error;
use crate::lanes::{Lanes, WIDTH};

/// Columns that one step of the kernel handles together: a panel's width.
pub const PANEL: usize = 8;

/// The most columns that packing rounds up to: four panels side by side.
pub(crate) const WIDEST: usize = 4 * PANEL;

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
/// It stands in blocks of `width` columns, a multiple of [`PANEL`], row after row: element (i, j) is
/// `data[(j / width) * block_stride + i * row_stride + j % width]`. Packed weights, the transposed keys and the values of
/// the cache are all of this form. Where n is no multiple of [`PANEL`], the last panel is padded in memory; the padding is
/// not counted.
#[derive(Debug, Clone, Copy)]
pub struct Panels<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// Rows: the length of each sum.
    pub k: usize,
    /// Columns: the number of outputs.
    pub n: usize,
    /// Columns that stand side by side.
    pub width: usize,
    /// From one row to the next within a block.
    pub row_stride: usize,
    /// From one block to the next.
    pub block_stride: usize,
    /// Whether the rows of the product have room for whole panels: then what the padding gives is written out as well.
    pub whole: bool,
}

impl Panels<'_> {
    /// Where element (i, j) stands.
    fn place(&self, i: usize, j: usize) -> usize {
        (j / self.width) * self.block_stride + i * self.row_stride + j % self.width
    }

    /// Element (i, j), for the naive twin and for tests.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> f32 {
        self.data[self.place(i, j)]
    }
}

/// A weight matrix (k, n), packed once at load into blocks `[n / width][k][width]`.
#[derive(Debug, Clone)]
pub struct PackedMatrix {
    data: Vec<f32>,
    k: usize,
    n: usize,
    width: usize,
}

impl PackedMatrix {
    /// Packs the matrix whose element (i, j) is `element(i, j)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn pack(k: usize, n: usize, element: impl Fn(usize, usize) -> f32) -> Result<Self, Error> {
        let width = width_of(k, n);
        let mut packed = Self { data: zeros(k * n.next_multiple_of(width))?, k, n, width };
        for j in 0..n {
            for i in 0..k {
                let place = packed.panels().place(i, j);
                packed.data[place] = element(i, j);
            }
        }
        Ok(packed)
    }

    /// Rows and columns, (k, n).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.k, self.n)
    }

    /// The view that [`matmul`] takes.
    #[must_use]
    pub fn panels(&self) -> Panels<'_> {
        let Self { data, k, n, width, .. } = self;
        Panels { data, k: *k, n: *n, width: *width, row_stride: *width, block_stride: k * width, whole: false }
    }
}

/// Columns that a packed matrix has side by side.
fn width_of(k: usize, n: usize) -> usize {
    match (k, k.saturating_mul(n)) {
        // A small one stays in the fastest cache in any form: rows as they are, nothing padded but the last panel.
        (_, ..=SMALL) => n.max(1).next_multiple_of(PANEL),
        // A single row reads four panels at once, from one place to the next.
        (..=LONGEST_AT_ONCE, _) => WIDEST,
        // Long sums come from memory, which gives most where it is read from one end to the other.
        _ => PANEL,
    }
}

/// Numbers in a small matrix: half of the fastest cache.
const SMALL: usize = 4096;

/// The longest sums of which several panels are read at once.
const LONGEST_AT_ONCE: usize = 256;

/// Rows of a dense matrix, `stride` numbers apart; row r of width w is `data[r * stride..r * stride + w]`.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The numbers, from the first row's first.
    pub data: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
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
/// Shapes are the caller's duty; a buffer that is too short is a bug, not an input, and panics.
#[must_use]
#[expect(unsafe_code, reason = "where things stand is checked once for all tiles")]
pub fn matmul(x: Rows<'_>, rows: usize, w: Panels<'_>, then: Then<'_>, out: &mut [f32], out_stride: usize) -> u64 {
    ensure_long_enough(x, rows, w, then, out.len(), out_stride);
    let product = Product { x: x.data.as_ptr(), x_stride: x.stride, w, then, out: out.as_mut_ptr(), out_stride };
    let panels = if w.whole { w.n.div_ceil(PANEL) } else { w.n / PANEL };
    // Four rows share each load of a panel, and so do three that are left; a panel stays in the fastest cache for all of them.
    let left = rows % 4;
    let fours = rows - left;
    let sharing = if left == 3 { rows } else { fours };
    let mut multiply_adds = 0;
    let (mut first, mut block) = (0, 0);
    // SAFETY: `ensure_long_enough` has seen that all rows and whole panels of this product are within their slices.
    unsafe {
        while first < panels {
            let end = panels.min(first + w.width / PANEL);
            if sharing > 0 {
                for panel in first..end {
                    let place = block + (panel - first) * PANEL;
                    for row in (0..fours).step_by(4) {
                        multiply_adds += product.tile::<4, 2>(row, panel, place);
                    }
                    if sharing > fours {
                        multiply_adds += product.tile::<3, 2>(fours, panel, place);
                    }
                }
            }
            // A row on its own: panels side by side hide the latency of the adds.
            for row in sharing..rows {
                let (mut panel, mut place) = (first, block);
                while panel + 4 <= end {
                    multiply_adds += product.tile::<1, 8>(row, panel, place);
                    panel += 4;
                    place += 4 * PANEL;
                }
                if panel + 2 <= end {
                    multiply_adds += product.tile::<1, 4>(row, panel, place);
                    panel += 2;
                    place += 2 * PANEL;
                }
                if panel < end {
                    multiply_adds += product.tile::<1, 2>(row, panel, place);
                }
            }
            first = end;
            block += w.block_stride;
        }
    }
    if panels * PANEL < w.n {
        multiply_adds += product.part_of_panel(rows, panels, out);
    }
    multiply_adds
}

/// Panics unless every place that the tiles of a product read or write is there.
fn ensure_long_enough(x: Rows<'_>, rows: usize, w: Panels<'_>, then: Then<'_>, out: usize, out_stride: usize) {
    if rows == 0 || w.n == 0 {
        return;
    }
    // Nothing wraps: no stride makes a buffer look long enough.
    let end = |count: usize, stride: usize, width: usize| (count - 1).saturating_mul(stride).saturating_add(width);
    let padded = w.n.next_multiple_of(PANEL);
    let blocks = if padded <= w.width { padded } else { end(padded.div_ceil(w.width), w.block_stride, w.width) };
    let fits = w.width.is_multiple_of(PANEL)
        && x.data.len() >= end(rows, x.stride, w.k)
        && w.data.len() >= end(w.k.max(1), w.row_stride, blocks)
        && out >= end(rows, out_stride, if w.whole { padded } else { w.n })
        && match then {
            Then::Store => true,
            Then::Bias(bias) | Then::BiasAdd(bias) => bias.len() >= padded,
        };
    assert!(fits);
}

/// A product on its way: what the tiles need of it, checked to be there.
struct Product<'a> {
    x: *const f32,
    x_stride: usize,
    w: Panels<'a>,
    then: Then<'a>,
    out: *mut f32,
    out_stride: usize,
}

impl Product<'_> {
    /// One tile: R rows times H half panels side by side, all of k, in registers. Returns its multiply-adds.
    ///
    /// SAFETY: rows from `row` and panels from `panel` on are whole ones of the product; the panel begins at `place`.
    #[inline(always)]
    #[expect(unsafe_code, reason = "bounds that are checked in each step cost a third of the speed")]
    unsafe fn tile<const R: usize, const H: usize>(&self, row: usize, panel: usize, place: usize) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.tile_into::<R, H>(row, panel, place, self.out.add(row * self.out_stride + panel * PANEL)) }
    }

    /// The same, whose first sum goes to `out`.
    #[inline(always)]
    #[expect(unsafe_code, reason = "as above")]
    unsafe fn tile_into<const R: usize, const H: usize>(
        &self,
        row: usize,
        panel: usize,
        place: usize,
        out: *mut f32,
    ) -> u64 {
        let Panels { data, k, n, row_stride, .. } = self.w;
        let column = panel * PANEL;
        // SAFETY: the caller's promise, and as in `matmul`.
        unsafe {
            let x = self.x.add(row * self.x_stride);
            let w = data.as_ptr().add(place);
            let mut sums = [[Lanes::ZERO; H]; R];
            for i in 0..k {
                let weights: [Lanes; H] = std::array::from_fn(|half| load(w.add(i * row_stride + half * WIDTH)));
                for (r, sums) in sums.iter_mut().enumerate() {
                    let factor = Lanes::splat(*x.add(r * self.x_stride + i));
                    for (sum, &weights) in sums.iter_mut().zip(&weights) {
                        *sum = *sum + factor * weights;
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                for (half, &sum) in sums.iter().enumerate() {
                    let out = out.add(r * self.out_stride + half * WIDTH);
                    let bias = |bias: &[f32]| load(bias.as_ptr().add(column + half * WIDTH));
                    let result = match self.then {
                        Then::Store => sum,
                        Then::Bias(b) => sum + bias(b),
                        Then::BiasAdd(b) => load(out) + (sum + bias(b)),
                    };
                    *out.cast() = result.to_array();
                }
            }
        }
        (k * (n - column).min(H * WIDTH) * R) as u64
    }

    /// The last panel of all rows where its padding has no place in them. Returns its multiply-adds.
    #[cold]
    #[expect(unsafe_code, reason = "as above")]
    fn part_of_panel(&self, rows: usize, panel: usize, out: &mut [f32]) -> u64 {
        let first = panel * PANEL;
        let columns = self.w.n - first;
        let mut multiply_adds = 0;
        for row in 0..rows {
            let out = &mut out[row * self.out_stride + first..][..columns];
            let mut whole = [0.0; PANEL];
            whole[..columns].copy_from_slice(out);
            // SAFETY: the panel is whole where it is read, and so is the row that is written.
            multiply_adds += unsafe { self.tile_into::<1, 2>(row, panel, self.w.place(0, first), whole.as_mut_ptr()) };
            out.copy_from_slice(&whole[..columns]);
        }
        multiply_adds
    }
}

/// Four numbers from `from` on.
#[inline(always)]
#[expect(unsafe_code, reason = "reads by pointer")]
unsafe fn load(from: *const f32) -> Lanes {
    // SAFETY: the caller's promise.
    Lanes::load(unsafe { &*from.cast() })
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
            for (i, factor) in x.data[r * x.stride..][..w.k].iter().enumerate() {
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
