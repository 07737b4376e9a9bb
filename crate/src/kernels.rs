//! Matrix products: one kernel for weights, attention scores and the mix of values, for one row or many.
//!
//! Every product of a pass goes through [`matmul`], and [`matmul`] counts its multiply-adds where it makes them; the
//! closed formulas of [`crate::flops`] are tested against that count.
//!
//! Each output is one sum over k in plain order, starting at zero, whatever the tile: a prefill of n rows gives the
//! bits of n single rows, and [`naive_matmul`], the definition, gives them too.

use crate::error::Error;

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

/// `x` (rows, k) · `w` (k, n) → `out` (rows, n), whose rows stand `out_stride` apart.
///
/// Returns the number of multiply-adds made, counted tile by tile. Cost: 2·rows·k·n FLOPs.
/// Shapes are the caller's duty; a buffer that is too short is a bug, not an input.
#[must_use]
pub fn matmul(x: Rows<'_>, rows: usize, w: Panels<'_>, out: &mut [f32], out_stride: usize) -> u64 {
    let mut multiply_adds = 0;
    let panels = w.n.div_ceil(PANEL);
    let mut row = 0;
    // Many rows: four of them share each load of a panel. One row: four panels hide the latency of the adds.
    while row + 4 <= rows {
        for panel in 0..panels {
            multiply_adds += tile::<4, 1>(x, row, w, panel, out, out_stride);
        }
        row += 4;
    }
    while row < rows {
        let mut panel = 0;
        while panel + 4 <= panels {
            multiply_adds += tile::<1, 4>(x, row, w, panel, out, out_stride);
            panel += 4;
        }
        while panel < panels {
            multiply_adds += tile::<1, 1>(x, row, w, panel, out, out_stride);
            panel += 1;
        }
        row += 1;
    }
    multiply_adds
}

/// One tile: R rows times P panels, all of k, in registers.
#[inline]
fn tile<const R: usize, const P: usize>(
    x: Rows<'_>,
    first_row: usize,
    w: Panels<'_>,
    first_panel: usize,
    out: &mut [f32],
    out_stride: usize,
) -> u64 {
    let x: [&[f32]; R] = std::array::from_fn(|r| x.row(first_row + r, w.k));
    let panels: [&[f32]; P] = std::array::from_fn(|p| &w.data[(first_panel + p) * w.panel_stride..]);
    let mut sums = [[[0.0_f32; PANEL]; P]; R];
    for i in 0..w.k {
        // Padding makes every panel whole, so the alternative is never taken; it spares the loop a panic.
        let weights: [&[f32; PANEL]; P] =
            std::array::from_fn(|p| panels[p][i * w.row_stride..].first_chunk().unwrap_or(&[0.0; PANEL]));
        for r in 0..R {
            let factor = x[r][i];
            for p in 0..P {
                for lane in 0..PANEL {
                    sums[r][p][lane] += factor * weights[p][lane];
                }
            }
        }
    }
    let mut multiply_adds = 0;
    for (r, sums) in sums.iter().enumerate() {
        for (p, sums) in sums.iter().enumerate() {
            let column = (first_panel + p) * PANEL;
            let columns = PANEL.min(w.n - column);
            out[(first_row + r) * out_stride + column..][..columns].copy_from_slice(&sums[..columns]);
            multiply_adds += (w.k * columns) as u64;
        }
    }
    multiply_adds
}

/// The definition of [`matmul`]: three loops, one multiply-add at a time. Slow; the same bits and the same count.
#[must_use]
pub fn naive_matmul(x: Rows<'_>, rows: usize, w: Panels<'_>, out: &mut [f32], out_stride: usize) -> u64 {
    let mut multiply_adds = 0;
    for r in 0..rows {
        for j in 0..w.n {
            let mut sum = 0.0;
            for (i, factor) in x.row(r, w.k).iter().enumerate() {
                sum += factor * w.at(i, j);
                multiply_adds += 1;
            }
            out[r * out_stride + j] = sum;
        }
    }
    multiply_adds
}
