//! The KV cache: keys and values of every token processed so far. It owns the position: nobody else counts.

use crate::config::Config;
use crate::error::Error;
use crate::kernels::{self, PANEL, Panels};

/// Keys and values of one run, for every layer and head.
///
/// Keys are kept transposed, (d_head, capacity), and values plain, (capacity, d_head), both padded to the kernel's panel
/// width, so that scores and mix are the same product as the weights' ([`Panels`]).
#[derive(Debug, Clone)]
pub struct KvCache {
    /// (layer, head, d_head, padded capacity).
    keys: Vec<f32>,
    /// (layer, head, capacity, padded d_head).
    values: Vec<f32>,
    n_layer: usize,
    n_head: usize,
    d_head: usize,
    capacity: usize,
    length: usize,
}

impl KvCache {
    /// An empty cache with room for `n_positions` tokens.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(config: &Config) -> Result<Self, Error> {
        let Config { n_layer, n_head, n_positions: capacity, .. } = *config;
        let d_head = config.d_head();
        let heads = n_layer * n_head;
        Ok(Self {
            keys: kernels::zeros(heads * d_head * capacity.next_multiple_of(PANEL))?,
            values: kernels::zeros(heads * capacity * d_head.next_multiple_of(PANEL))?,
            n_layer,
            n_head,
            d_head,
            capacity,
            length: 0,
        })
    }

    /// Tokens in the cache, T; the next token's position.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether no token is in the cache.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The most tokens it can hold, `n_positions`.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes that its tokens take: 2 · L · T · D · 4, padding left out.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        Self::bytes_of(self.n_layer, self.n_head * self.d_head, self.length)
    }

    /// Bytes of a cache of `length` tokens: keys and values of width `n_embd` in `n_layer` layers, 4 bytes a number.
    #[must_use]
    pub fn bytes_of(n_layer: usize, n_embd: usize, length: usize) -> u64 {
        2 * n_layer as u64 * length as u64 * n_embd as u64 * size_of::<f32>() as u64
    }

    /// Forgets all tokens after the first `length`; nothing happens if there are fewer.
    ///
    /// A column is written once and never changed, so what is left has the bits it had then.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Whether this cache was made for a model of this shape.
    pub(crate) fn fits(&self, config: &Config) -> bool {
        (self.n_layer, self.n_head, self.d_head, self.capacity)
            == (config.n_layer, config.n_head, config.d_head(), config.n_positions)
    }

    /// Writes one layer's keys and values of `rows` new tokens behind the cached ones; `qkv` is (rows, 3D).
    ///
    /// They count only after [`KvCache::advance`], when every layer has written its own.
    pub(crate) fn write(&mut self, layer: usize, rows: usize, qkv: &[f32]) {
        let width = self.n_head * self.d_head;
        let (key_stride, value_stride) = (self.key_stride(), self.value_stride());
        for row in 0..rows {
            let position = self.length + row;
            let (keys, values) = qkv[row * 3 * width + width..][..2 * width].split_at(width);
            for head in 0..self.n_head {
                let slice = head * self.d_head..(head + 1) * self.d_head;
                let first = self.head_index(layer, head) * self.d_head;
                for (d, key) in keys[slice.clone()].iter().enumerate() {
                    self.keys[(first + d) * key_stride + position] = *key;
                }
                let first = (self.head_index(layer, head) * self.capacity + position) * value_stride;
                self.values[first..first + self.d_head].copy_from_slice(&values[slice]);
            }
        }
    }

    /// Makes the `rows` columns that were written count.
    pub(crate) fn advance(&mut self, rows: usize) {
        self.length += rows;
    }

    /// Keys of one head as the matrix (d_head, `columns`), for rows with room for whole panels.
    pub(crate) fn keys(&self, layer: usize, head: usize, columns: usize) -> Panels<'_> {
        let row_stride = self.key_stride();
        let data = &self.keys[self.head_index(layer, head) * self.d_head * row_stride..];
        Panels { data, k: self.d_head, n: columns, width: row_stride, row_stride, block_stride: 0, whole: true }
    }

    /// Values of one head as the matrix (`columns`, d_head).
    pub(crate) fn values(&self, layer: usize, head: usize, columns: usize) -> Panels<'_> {
        let row_stride = self.value_stride();
        let data = &self.values[self.head_index(layer, head) * self.capacity * row_stride..];
        Panels { data, k: columns, n: self.d_head, width: row_stride, row_stride, block_stride: 0, whole: false }
    }

    fn head_index(&self, layer: usize, head: usize) -> usize {
        layer * self.n_head + head
    }

    fn key_stride(&self) -> usize {
        self.capacity.next_multiple_of(PANEL)
    }

    fn value_stride(&self) -> usize {
        self.d_head.next_multiple_of(PANEL)
    }
}
