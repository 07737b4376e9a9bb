/** FLOPs per byte, and which side of a ridge they are on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  along,
  caseOf,
  decadesOf,
  GPT2_SMALL,
  leastTimeOf,
  measured,
  reachOf,
  ridgeOf,
  tokensToRidge,
  workOf,
} from "../../www/chapter/intensity.js";
import { bytesReadOf } from "../../www/flops.js";
import { SHAPES } from "./checkpoints.js";
import { momentAfter } from "./readings.js";

/** A machine whose numbers can be worked with in the head: its ridge is at 100. */
const MACHINE = {
  id: "round",
  name: "round",
  flops: 1e12,
  bandwidth: 1e10,
  memory: 1e9,
  source: "",
  how: "",
};

describe("a pass", () => {
  test("has half a FLOP per byte for each token that goes in, whatever the shape and the context", () => {
    for (const shape of [...Object.values(SHAPES), GPT2_SMALL]) {
      for (const [tokensIn, contextLength] of [
        [1, 1],
        [1, 12],
        [1, 900],
        [11, 11],
        [300, 300],
        [7, 19],
      ]) {
        assert.equal(workOf(shape, tokensIn, contextLength).intensity, tokensIn / 2);
      }
    }
  });

  test("is the one of the log, in FLOPs and in bytes", async () => {
    const moment = await momentAfter(6);
    for (const { tokensIn, contextLength, flops } of moment.log) {
      const { weights, cache } = bytesReadOf(moment.config, contextLength);
      const work = workOf(moment.config, tokensIn, contextLength);
      assert.deepEqual(work, {
        tokensIn,
        flops,
        bytes: weights + cache,
        intensity: flops / (weights + cache),
      });
    }
  });

  test("GPT-2 small is as large as it was published: 124 million parameters but for positions and norms", () => {
    const { weights } = bytesReadOf(GPT2_SMALL, 0);
    assert.equal(weights / 4, 12 * 12 * 768 ** 2 + 768 * 50257);
  });
});

describe("what is compared", () => {
  test("before a run what would come; in it pass 1 and the newest decode", async () => {
    const [prefill, decode] = caseOf(await momentAfter(0), "run").passes;
    assert.deepEqual([prefill.name, prefill.work.flops], ["to come", 173_184]);
    assert.deepEqual([decode.name, decode.work.flops], ["to come", 15_872]);
    const moment = await momentAfter(6);
    const made = caseOf(moment, "run").passes;
    assert.deepEqual(
      made.map(({ name, work }) => [name, work.flops]),
      [
        ["pass 1", moment.log[0].flops],
        ["pass 6", moment.log[5].flops],
      ],
    );
    assert.equal(caseOf(await momentAfter(6, { at: 3 }), "run").passes[1].name, "pass 3");
  });

  test("another model with the reader's tokens, or with a page of them", async () => {
    const moment = await momentAfter(3);
    const own = caseOf(moment, "gpt2");
    assert.equal(own.config, GPT2_SMALL);
    assert.deepEqual(
      own.passes.map(({ work }) => work),
      [workOf(GPT2_SMALL, 11, 11), workOf(GPT2_SMALL, 1, 13)],
    );
    const page = caseOf(moment, "page");
    assert.deepEqual(
      page.passes.map(({ work }) => work),
      [workOf(GPT2_SMALL, 512, 512), workOf(GPT2_SMALL, 1, 513)],
    );
  });

  test("without a cache a decode takes in what the prefill did, and more", async () => {
    const [, decode] = caseOf(await momentAfter(3, { set: { cache: false } }), "run").passes;
    assert.equal(decode.work.tokensIn, 13);
    assert.equal(decode.work.intensity, 6.5);
  });

  test("a run that ended with its prefill has no decode to come", async () => {
    const moment = await momentAfter(1, { maxTokens: 12 });
    assert.equal(moment.stop?.reason, "max-tokens");
    assert.equal(caseOf(moment, "run").passes[1].name, "not made");
  });
});

describe("a machine", () => {
  test("is bound by memory below its ridge, and by arithmetic from there on", () => {
    assert.equal(ridgeOf(MACHINE), 100);
    assert.deepEqual(reachOf(MACHINE, 25), { flops: 2.5e11, share: 0.25, bound: "memory" });
    assert.deepEqual(reachOf(MACHINE, 100), { flops: 1e12, share: 1, bound: "arithmetic" });
    assert.deepEqual(reachOf(MACHINE, 5000), { flops: 1e12, share: 1, bound: "arithmetic" });
  });

  test("takes at least as long as the slower of the two", () => {
    const work = { tokensIn: 1, flops: 1e12, bytes: 1e10, intensity: 100 };
    assert.equal(leastTimeOf(MACHINE, work), 1);
    assert.equal(leastTimeOf(MACHINE, { ...work, bytes: 3e10 }), 3);
    assert.equal(leastTimeOf(MACHINE, { ...work, flops: 2e12 }), 2);
  });

  test("is kept busy by a prompt of so many tokens, and not by one less", () => {
    for (const shape of [...Object.values(SHAPES), GPT2_SMALL]) {
      assert.equal(tokensToRidge(shape, MACHINE), 200);
      assert.equal(tokensToRidge(shape, MACHINE, 2), 100);
      assert.equal(tokensToRidge(shape, { ...MACHINE, bandwidth: 1e13 }), 1);
    }
    const a100 = { ...MACHINE, flops: 312e12, bandwidth: 2.039e12 };
    const length = tokensToRidge(GPT2_SMALL, a100);
    assert.equal(reachOf(a100, workOf(GPT2_SMALL, length, length).intensity).bound, "arithmetic");
    assert.equal(reachOf(a100, workOf(GPT2_SMALL, length - 1, length - 1).intensity).bound, "memory");
  });
});

test("axes hold all values between powers of ten, and tell how far along each is", () => {
  assert.deepEqual(decadesOf([0.5, 300]), [-1, 3]);
  assert.deepEqual(decadesOf([1, 1000]), [-1, 4]);
  assert.equal(along(10, [-1, 3]), 0.5);
  assert.equal(along(0.1, [-1, 3]), 0);
  assert.equal(along(1000, [-1, 3]), 1);
});

test("a measure has three digits, and the prefix that suits it", () => {
  for (const [value, text] of /** @type {const} */ ([
    [312e12, "312\u00a0TFLOP/s"],
    [2.039e12, "2.04\u00a0TFLOP/s"],
    [999.9e9, "1\u00a0TFLOP/s"],
    [1, "1\u00a0FLOP/s"],
    [1.544e-8, "15.4\u00a0nFLOP/s"],
    [4.2e-13, "0.00042\u00a0nFLOP/s"],
  ])) {
    assert.equal(measured(value, "FLOP/s"), text);
  }
});
