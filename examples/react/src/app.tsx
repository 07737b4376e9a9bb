import "generation-loop";
import { useState } from "react";

export function App() {
  const [costs, setCosts] = useState<Cost[]>([]);
  return (
    <>
      <h1>With React</h1>
      <p>React 19 sets properties of the element, and listens to its events, as it does with its own.</p>
      <Passes costs={costs} />
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
      />
    </>
  );
}

type Cost = { phase: "prefill" | "decode"; flops: number };

function Passes({ costs }: { costs: Cost[] }) {
  const last = costs.at(-1);
  if (last === undefined) return <p id="passes">No pass yet.</p>;
  const all = costs.reduce((sum, { flops }) => sum + flops, 0);
  return (
    <p id="passes">
      {`Pass ${costs.length}, ${last.phase}: ${number(last.flops)} FLOPs. In all: ${number(all)} FLOPs.`}
    </p>
  );
}

const number = (value: number) => value.toLocaleString("en");
