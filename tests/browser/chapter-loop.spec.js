/** The job as a drawing: the step that is lit, and what stands under each, through runs of the widget above. */

import { Chapter, seen, whole } from "./drawings.js";
import { expect, test } from "./fixtures.js";
import { percent } from "./widget.js";

/**
 * The drawing says what the element says.
 * @param {Chapter} chapter
 */
async function agrees(chapter) {
  const { log, prompt, stop, most } = await chapter.moment();
  const last = log.at(-1);
  const words = prompt.length === 1 ? "1 token" : `${prompt.length} tokens`;
  await expect(chapter.line("Tokenise")).toHaveText(words);
  await expect(chapter.lit).toHaveText(last === undefined ? "Tokenise" : stop ? "Stop" : "Sample");
  if (last === undefined) {
    await expect(chapter.line("Sample")).toHaveText("one token a pass");
    await expect(chapter.line("Stop")).toHaveText(`at most ${most} passes`);
    return;
  }
  await expect(chapter.line("Prefill")).toHaveText(`${words} in, ${whole(log[0].flops)} FLOPs`);
  await expect(chapter.line("Sample")).toContainText(seen(last.token.text));
  await expect(chapter.line("Sample")).toContainText(percent(last.token.probability));
  if (last.phase === "decode") {
    const taken = last.tokensIn === 1 ? "1 token" : `${last.tokensIn} tokens`;
    await expect(chapter.line("Decode")).toHaveText(`${taken} in, ${whole(last.flops)} FLOPs`);
    expect(await chapter.sentence("loop")).toBe(
      `Pass ${last.index} of at most ${most}, decode: “${seen(log[last.index - 2].token.text)}” went in, “${seen(last.token.text)}” was picked.${stop ? " The run is over." : ""}`,
    );
  }
  if (stop === null) await expect(chapter.line("Stop")).toHaveText(`not yet: at most ${most} passes`);
}

test("from the prompt to the full stop, each pass is as the widget has it", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await agrees(chapter);
  await expect(chapter.line("Prefill")).toHaveText("11 tokens in, 173,184 FLOPs");
  await expect(chapter.line("Decode")).toHaveText("1 token in, 15,872 FLOPs");
  for (const passes of [1, 1, 1, 9, 1]) {
    await chapter.step(passes);
    await agrees(chapter);
    await expect(chapter.lit).toHaveCount(1);
  }
  expect((await chapter.moment()).log).toHaveLength(13);
  await expect(chapter.line("Stop")).toHaveText("the stop string “.” was completed");
});

test("the past is shown as it was, and Back, Reset and another prompt are followed", async ({ page }) => {
  const chapter = await Chapter.on(page);
  const { widget } = chapter;
  await chapter.step(6);
  for (const at of ["2", "5", "1", "0", "6"]) {
    await widget.moment.fill(at);
    await chapter.settled();
    expect((await chapter.moment()).log).toHaveLength(Number(at));
    await agrees(chapter);
  }
  await widget.button("Back").click();
  await chapter.settled();
  expect((await chapter.moment()).log).toHaveLength(5);
  await agrees(chapter);
  await widget.button("Reset").click();
  await chapter.settled();
  await expect(chapter.lit).toHaveText("Tokenise");
  await agrees(chapter);
  await widget.prompt.fill("a");
  await chapter.settled();
  await agrees(chapter);
  await expect(chapter.line("Tokenise")).toHaveText("1 token");
  await chapter.step(3);
  await agrees(chapter);
});

test("a prompt that cannot be processed is told where it fails", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.widget.prompt.fill("the café");
  await chapter.settled();
  await expect(chapter.line("Tokenise")).toHaveText("1 of 8 not in the vocabulary");
  await expect(chapter.line("Prefill")).toHaveText("nothing goes in");
  await chapter.widget.prompt.fill("");
  await chapter.settled();
  await expect(chapter.line("Tokenise")).toHaveText("no token to process");
  await chapter.widget.prompt.fill("the cat");
  await chapter.settled();
  await agrees(chapter);
});

test("other weights cost the same; a limit ends the run and is named", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.set({ model: "untrained", stop: "", maxTokens: 14 });
  await chapter.settled();
  await expect(chapter.line("Prefill")).toHaveText("11 tokens in, 173,184 FLOPs");
  for (let pass = 0; pass < 3; pass += 1) {
    await chapter.step();
    await agrees(chapter);
  }
  await expect(chapter.line("Stop")).toHaveText("the length limit of 14 tokens was reached");
});

test("without the cache a decode takes everything in again", async ({ page }) => {
  const chapter = await Chapter.on(page);
  await chapter.step(2);
  await chapter.set({ cache: false });
  await chapter.step();
  await expect(chapter.line("Decode")).toContainText("13 tokens in");
  await agrees(chapter);
});

test("a pass lights up before the token that it brought; a jump goes straight to where it ends", async ({
  page,
}) => {
  const chapter = await Chapter.on(page);
  await chapter.loop.scrollIntoViewIfNeeded();
  /** The steps that are lit, one after the other. @param {"step" | "back" | "reset"} method @param {number} [times] */
  const after = (method, times = 1) =>
    chapter.loop.evaluate(
      async (place, { method, times }) => {
        /** @type {string[]} */
        const lit = [];
        const note = () => {
          const name = place.querySelector("[aria-current] b")?.textContent ?? "";
          if (lit.at(-1) !== name) lit.push(name);
        };
        note();
        const observer = new MutationObserver(note);
        observer.observe(place, { subtree: true, attributes: true });
        const element = /** @type {any} */ (document.querySelector("generation-loop"));
        for (let time = 0; time < times; time += 1) element[method]();
        await new Promise((resolve) => setTimeout(resolve, 600));
        observer.disconnect();
        return lit;
      },
      { method, times },
    );
  expect(await after("step")).toEqual(["Tokenise", "Prefill", "Sample"]);
  expect(await after("step")).toEqual(["Sample", "Decode", "Sample"]);
  expect(await after("step", 3)).toEqual(["Sample"]);
  expect(await after("back")).toEqual(["Sample"]);
  expect(await after("reset")).toEqual(["Sample", "Tokenise"]);
});
