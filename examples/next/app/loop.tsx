"use client";

// The server imports it too, to render the page: there it does nothing.
import "generation-loop";
import { useState } from "react";

type Cost = { phase: "prefill" | "decode"; flops: number };

export function Loop() {
  const [costs, setCosts] = useState<Cost[]>([]);
  const last = costs.at(-1);
  const all = costs.reduce((sum, { flops }) => sum + flops, 0);
  return (
    <>
      <generation-loop
        prompt="the cat sat"
        sampling="top-k"
        topK={5}
        seed={7}
        stop={["!", "."]}
        ongeneration-pass={({ detail: { index, phase, flops } }) =>
          // Back and Reset take passes away: the next one has the index of the first that is gone.
          setCosts((before) => [...before.slice(0, index - 1), { phase, flops }])
        }
      >
        <p>This needs a browser with JavaScript and WebAssembly.</p>
      </generation-loop>
      <p id="passes">
        {last === undefined
          ? "No pass yet."
          : `Pass ${costs.length}, ${last.phase}: ${number(last.flops)} FLOPs. In all: ${number(all)} FLOPs.`}
      </p>
    </>
  );
}

const number = (value: number) => value.toLocaleString("en");
