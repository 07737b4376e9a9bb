import { rolldown } from "rolldown";
for (const form of ["modules", "split"]) {
  const b = await rolldown({ input: `dist/${form}/worker.js`, platform: "browser" });
  const { output } = await b.generate({ format: "es", codeSplitting: false, minify: true });
  (await import("node:fs")).writeFileSync(`dist/${form}/worker.js`, output[0].code);
  console.log(form, output.length, output[0].code.length);
}
