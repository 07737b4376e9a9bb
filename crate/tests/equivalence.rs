//! One product, one forward pass, one run: each done in two ways, and the bits are the same.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod record;
    pub(crate) mod shapes;
}

use common::record::{Record, bits};
use common::shapes;
use generation_loop::cache::KvCache;
use generation_loop::kernels::{PANEL, PackedMatrix, Panels, Rows, Then, matmul, naive_matmul};
use generation_loop::model::{Activations, Model};
use generation_loop::{Config, Session, Settings};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Shapes of every kind: odd vocabularies, heads of no round width, an MLP narrower than the residual stream.
fn shape() -> impl Strategy<Value = Config> {
    let sizes = (1..=3_usize, 1..=4_usize, 1..=10_usize, 1..=40_usize, 1..=40_usize, 2..=20_usize);
    let epsilon = prop_oneof![Just(1e-12_f32), Just(1e-5), Just(0.1)];
    (sizes, any::<bool>(), epsilon).prop_map(
        |((n_layer, n_head, d_head, n_inner, vocab_size, n_positions), tied, e)| Config {
            n_layer,
            n_head,
            n_embd: n_head * d_head,
            n_inner,
            vocab_size,
            n_positions,
            layer_norm_epsilon: e,
            tie_word_embeddings: tied,
            eos_token_id: None,
        },
    )
}

/// Random numbers of many sizes, with zeros of both signs and subnormal numbers among them; their products are finite.
fn numbers(generator: &mut ChaCha8Rng, len: usize) -> Vec<f32> {
    (0..len)
        .map(|_| {
            let number = 2.0 * generator.random::<f32>() - 1.0;
            match generator.random::<u32>() % 16 {
                0 => 0.0,
                1 => -0.0,
                2 => number * 1e-40,
                3 => number * 1e15,
                _ => number,
            }
        })
        .collect()
}

fn tokens(generator: &mut ChaCha8Rng, vocab_size: usize, len: usize) -> Vec<u32> {
    (0..len).map(|_| generator.random::<u32>() % vocab_size as u32).collect()
}

/// Both kernels over the same operands, with sentinels wherever nothing may be written.
fn assert_kernels_agree(x: Rows<'_>, rows: usize, w: Panels<'_>, out_stride: usize) {
    let mut fast = vec![f32::from_bits(0xdead_beef); rows * out_stride + 3];
    let mut naive = fast.clone();
    let bias: Vec<f32> = (0..w.n.next_multiple_of(PANEL)).map(|j| (j as f32 * 0.7).sin()).collect();
    for then in [Then::Store, Then::Bias(&bias), Then::BiasAdd(&bias)] {
        let counted = matmul(x, rows, w, then, &mut fast, out_stride);
        assert_eq!(counted, naive_matmul(x, rows, w, then, &mut naive, out_stride));
        assert_eq!(counted, (rows * w.k * w.n) as u64);
        assert_eq!(bits(&fast), bits(&naive), "{then:?}");
    }
}

proptest! {
    #![proptest_config(shapes::cases(400))]

    #[test]
    fn matmul_has_the_bits_and_the_count_of_its_definition(
        (rows, k, n) in (0..10_usize, 1..40_usize, 1..45_usize),
        (x_extra, out_extra, padding) in (0..20_usize, 0..20_usize, 0..4_usize),
        seed in any::<u64>(),
    ) {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let x = numbers(&mut generator, rows * (k + x_extra));
        let x = Rows { data: &x, stride: k + x_extra };

        // Weights: packed panel after panel.
        let w = numbers(&mut generator, k * n);
        let packed = PackedMatrix::pack(k, n, |i, j| w[i * n + j]).unwrap();
        for j in 0..n {
            for i in 0..k {
                prop_assert_eq!(packed.panels().at(i, j).to_bits(), w[i * n + j].to_bits());
            }
        }
        assert_kernels_agree(x, rows, packed.panels(), n + out_extra);

        // Keys and values: row after row, longer than the columns in use. What stands behind those is not read.
        let row_stride = n.next_multiple_of(PANEL) + padding * PANEL;
        let mut data = vec![f32::NAN; k * row_stride];
        for i in 0..k {
            data[i * row_stride..][..n].copy_from_slice(&w[i * n..][..n]);
        }
        let strided = Panels { data: &data, k, n, width: row_stride, row_stride, block_stride: 0, whole: false };
        assert_kernels_agree(x, rows, strided, n + out_extra);

        // With room for whole panels, what the padding gives is written too, and not counted.
        let roomy = n.next_multiple_of(PANEL) + out_extra;
        let mut out = vec![f32::from_bits(0xdead_beef); rows * roomy];
        let counted = matmul(x, rows, Panels { whole: true, ..strided }, Then::Store, &mut out, roomy);
        prop_assert_eq!(counted, (rows * k * n) as u64);
        let mut exact = vec![0.0; rows * n];
        let _ = naive_matmul(x, rows, strided, Then::Store, &mut exact, n);
        for (row, exact) in exact.chunks_exact(n).enumerate() {
            prop_assert_eq!(bits(&out[row * roomy..][..n]), bits(exact));
            let after = &out[row * roomy..][n.next_multiple_of(PANEL)..roomy];
            prop_assert!(after.iter().all(|number| number.to_bits() == 0xdead_beef));
        }

        let product = |w: Panels<'_>| {
            let mut out = vec![0.0; rows * n];
            let _ = matmul(x, rows, w, Then::Store, &mut out, n);
            bits(&out)
        };
        prop_assert_eq!(product(packed.panels()), product(strided));
    }
}

#[test]
fn matmul_refuses_buffers_that_are_too_short() {
    fn panels(data: &[f32]) -> Panels<'_> {
        Panels { data, k: 5, n: 12, width: 16, row_stride: 16, block_stride: 0, whole: false }
    }
    let (x, w, bias) = ([1.0; 2 * 5], [1.0; 5 * 16], [0.0; 16]);
    let panics = |x: &[f32], w: &[f32], then: Then<'_>, out: usize, stride: usize| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            matmul(Rows { data: x, stride: 5 }, 2, panels(w), then, &mut vec![0.0; out], stride)
        }))
        .is_err()
    };
    assert!(!panics(&x, &w, Then::Bias(&bias), 24, 12));
    assert!(panics(&x[1..], &w, Then::Bias(&bias), 24, 12), "x");
    assert!(panics(&x, &w[1..], Then::Bias(&bias), 24, 12), "w");
    assert!(panics(&x, &w, Then::Bias(&bias[..15]), 24, 12), "bias");
    assert!(panics(&x, &w, Then::Store, 23, 12), "out");
    assert!(panics(&x, &w, Then::Store, 24, usize::MAX / 2), "a stride that would wrap");
}

/// Logits of every position, row after row: `first` tokens at once, the others one at a time.
fn rows(model: &Model, tokens: &[u32], first: usize) -> Vec<Vec<u32>> {
    let config = model.config();
    let (mut cache, mut activations) = (KvCache::new(config).unwrap(), Activations::new(config).unwrap());
    let logits = model.prefill(&tokens[..first], &mut cache, &mut activations).unwrap();
    let mut rows: Vec<Vec<u32>> = logits.chunks_exact(config.vocab_size).map(bits).collect();
    assert_eq!((rows.len(), cache.len()), (first, first));
    for (done, token) in tokens.iter().enumerate().skip(first) {
        rows.push(bits(model.decode_step(*token, &mut cache, &mut activations).unwrap()));
        assert_eq!(cache.len(), done + 1);
    }
    rows
}

proptest! {
    #![proptest_config(shapes::cases(192))]

    #[test]
    fn a_prefill_has_the_bits_of_its_decode_steps(config in shape(), seed in any::<u64>()) {
        let model = shapes::model(&config, seed);
        let all = tokens(&mut ChaCha8Rng::seed_from_u64(seed), config.vocab_size, config.n_positions);
        let decoded = rows(&model, &all, 1);
        for n in 1..=config.n_positions {
            prop_assert_eq!(&rows(&model, &all[..n], n), &decoded[..n], "prefill of {}", n);
        }
        // And a run that changes from one to the other in the middle.
        let middle = config.n_positions / 2;
        prop_assert_eq!(&rows(&model, &all, middle), &decoded);
    }

    #[test]
    fn the_last_token_leaves_earlier_rows_alone(config in shape(), seed in any::<u64>()) {
        let config = Config { n_positions: config.n_positions.max(8), ..config };
        let model = shapes::model(&config, seed);
        let mut prompt = tokens(&mut ChaCha8Rng::seed_from_u64(seed), config.vocab_size, 8);
        let before = rows(&model, &prompt, 8);
        for id in 0..config.vocab_size as u32 {
            prompt[7] = id;
            prop_assert_eq!(&rows(&model, &prompt, 8)[..7], &before[..7]);
        }
    }

    #[test]
    fn a_session_has_the_model_s_bits_with_and_without_the_cache(
        (config, sampling) in (shape(), shapes::sampling()),
        seed in 0..=generation_loop::draws::MAX_SEED,
        prompt in 1..20_usize,
    ) {
        let prompt = tokens(&mut ChaCha8Rng::seed_from_u64(seed), config.vocab_size, prompt.min(config.n_positions - 1));
        let model = shapes::model(&config, seed);
        let settings = Settings { sampling, seed: Some(seed), max_tokens: None, ..Settings::default_for(&config) };
        let mut with = Session::new(model.clone(), settings.clone()).unwrap();
        let mut without = Session::new(model.clone(), Settings { cache: false, ..settings }).unwrap();
        with.prefill(&prompt).unwrap();
        without.prefill(&prompt).unwrap();
        let mut logits = vec![bits(with.logits())];
        while with.stop().is_none() {
            with.decode_step().unwrap();
            without.decode_step().unwrap();
            prop_assert_eq!(Record::of(&with).without_costs(), Record::of(&without).without_costs());
            for (layer, head) in (0..config.n_layer).flat_map(|layer| (0..config.n_head).map(move |head| (layer, head))) {
                let attention = with.attention(layer, head);
                prop_assert_eq!(bits(attention), bits(without.attention(layer, head)));
                prop_assert_eq!(attention.len(), with.tokens().len() - 1);
                prop_assert!((attention.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            logits.push(bits(with.logits()));
        }
        prop_assert_eq!(with.tokens().len(), config.n_positions);
        let processed = &with.tokens()[..config.n_positions - 1];
        prop_assert_eq!(&rows(&model, processed, 1)[prompt.len() - 1..], logits);
    }
}
