/** What a reader's clicks and an instant run cost the page's own thread, as the page itself sees it. */

/** @typedef {import("../www/element.js").GenerationLoopElement & Record<string, any>} Element */

const element = () => /** @type {Element} */ (document.querySelector("generation-loop"));

/**
 * The untrained model, on a run that no stop string ends: it lasts until the length limit.
 * @param {number} maxTokens
 */
export async function prepare(maxTokens) {
  Object.assign(element(), { model: "untrained", stop: "", maxTokens });
  await element().ready;
  await element().updateComplete;
}

const clicks = {
  /** From the click's first listener to the laid-out page that shows its pass. @type {number[]} */
  work: [],
  /** From the input to the end of the frame that shows it. @type {number[]} */
  painted: [],
  /** The browser's own event timing. @type {number[]} */
  events: [],
};

/** Listens to the clicks that come. */
export function watchClicks() {
  let begin = 0;
  window.addEventListener(
    "click",
    () => {
      begin = performance.now();
    },
    { capture: true },
  );
  // On its way back up, the click has been with the element.
  window.addEventListener("click", async ({ timeStamp }) => {
    await element().updateComplete;
    element().shadowRoot?.querySelector(".panels")?.getBoundingClientRect();
    clicks.work.push(performance.now() - begin);
    requestAnimationFrame(() => {
      // A message comes when the frame that was about to be painted is.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => clicks.painted.push(performance.now() - timeStamp);
      port2.postMessage(null);
    });
  });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === "click") clicks.events.push(duration);
  }).observe(/** @type {any} */ ({ type: "event", durationThreshold: 16 }));
}

/** @returns {Promise<typeof clicks & { passes: number }>} */
export async function clicksSoFar() {
  await frames();
  return { ...clicks, passes: element().shadowRoot?.querySelectorAll(".log tbody tr").length ?? 0 };
}

/** Until what was asked for before is on the screen. */
async function frames() {
  for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * What happened on the page's thread from now until the run that somebody starts has stopped, and its last pass is painted.
 * @returns {() => Promise<{ gaps: number[], tasks: number[], frames: number[], passes: number }>} milliseconds: between
 *   frames; of tasks and of frames that took 50 or more
 */
function watchRun() {
  /** @type {{ gaps: number[], tasks: number[], frames: number[] }} */
  const seen = { gaps: [], tasks: [], frames: [] };
  const lists = { longtask: seen.tasks, "long-animation-frame": seen.frames };
  const observer = new PerformanceObserver((list) => {
    for (const { entryType, duration } of list.getEntries()) {
      lists[/** @type {keyof typeof lists} */ (entryType)]?.push(duration);
    }
  });
  for (const type of PerformanceObserver.supportedEntryTypes) if (type in lists) observer.observe({ type });
  const stopped = new Promise((resolve) => {
    element().addEventListener("generation-stop", resolve, { once: true });
  });
  let last = performance.now();
  let goesOn = true;
  const frame = () => {
    const now = performance.now();
    seen.gaps.push(now - last);
    last = now;
    if (goesOn) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return async () => {
    await stopped;
    await frames();
    goesOn = false;
    observer.disconnect();
    return { ...seen, passes: element().shadowRoot?.querySelectorAll(".log tbody tr").length ?? 0 };
  };
}

/** @type {ReturnType<typeof watchRun> | undefined} */
let running;

/** Begins to watch a run. */
export function beginRun() {
  performance.mark("run begins");
  running = watchRun();
}

/** Ends when the run has, with what was seen. */
export async function runSeen() {
  const seen = await running?.();
  performance.mark("run ends");
  return seen;
}
