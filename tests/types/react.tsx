/** JSX of React 19, which sets properties where there are such, and attributes otherwise. */

import type { GenerationLoopElement } from "generation-loop";
import type {} from "generation-loop/react";
import { useRef } from "react";

export function Page() {
  const ref = useRef<GenerationLoopElement>(null);
  return (
    <section>
      <generation-loop
        ref={ref}
        prompt="the cat sat"
        topK={3}
        top-p="0.9"
        max-tokens={12}
        hide={["model", "log"]}
        stop={null}
        autoplay
        cache={false}
        lang="de"
        className="wide"
        style={{ minHeight: 900 }}
        onClick={() => ref.current?.step()}
        ongeneration-pass={({ detail }) => detail.token.text}
        ongeneration-stop={(event) => event.detail.reason}
      >
        <p>Until it is ready.</p>
      </generation-loop>
      {/* @ts-expect-error: there is no such method */}
      <generation-loop sampling="beam" />
      {/* @ts-expect-error: there is no such attribute */}
      <generation-loop maxLength={3} />
      {/* @ts-expect-error: this event tells of a pass */}
      <generation-loop ongeneration-pass={({ detail }) => detail.reason} />
      {/* @ts-expect-error: there is no such panel */}
      <generation-loop hide={["weights"]} />
    </section>
  );
}
