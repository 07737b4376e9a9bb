import { GenerationLoop } from "generation-loop/engine.js";

const loop = await GenerationLoop.load({ seed: 7, stop: ["."] });
loop.prefill(process.argv[2] ?? "the cat sat");
while (loop.stop === null) loop.decodeStep();

const row = (...cells) => console.log(cells.map((cell) => String(cell).padStart(10)).join(""));
row("pass", "phase", "tokens in", "FLOPs", "writes");
for (const { index, phase, tokensIn, flops, token } of loop.log) {
  row(index, phase, tokensIn, flops.toLocaleString("en"), JSON.stringify(token.text));
}
const all = loop.log.reduce((sum, { flops }) => sum + flops, 0);
console.log(`\n${loop.text}\n${all.toLocaleString("en")} FLOPs in all; it ended with: ${loop.stop.reason}`);
loop.dispose();
