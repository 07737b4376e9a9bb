"use client";

// The server imports it too, to render the page: there it does nothing.
import "generation-loop";
import { useEffect, useRef, useState } from "react";

type Cost = { phase: "prefill" | "decode"; flops: number };

export function Loop() {
  const element = useRef<HTMLElementTagNameMap["generation-loop"]>(null);
  const [costs, setCosts] = useState<Cost[]>([]);
  const last = costs.at(-1);
  const all = costs.reduce((sum, { flops }) => sum + flops, 0);

  useEffect(() => {
    const loop = element.current;
    if (loop === null) return;
    const keep = ({ detail: { index, phase, flops } }: HTMLElementEventMap["generation-pass"]) =>
      // Back and Reset take passes away: the next one has the index of the first that is gone.
      setCosts((before) => [...before.slice(0, index - 1), { phase, flops }]);
    loop.addEventListener("generation-pass", keep);
    return () => loop.removeEventListener("generation-pass", keep);
  }, []);

  return (
    <>
      <p id="passes">
        {last === undefined
          ? "No pass yet."
          : `Pass ${costs.length}, ${last.phase}: ${number(last.flops)} FLOPs. In all: ${number(all)} FLOPs.`}
      </p>
      <generation-loop ref={element} prompt="the cat sat" sampling="top-k" top-k={5} seed={7} stop="!|.">
        <p>This needs a browser with JavaScript and WebAssembly.</p>
      </generation-loop>
    </>
  );
}

const number = (value: number) => value.toLocaleString("en");
