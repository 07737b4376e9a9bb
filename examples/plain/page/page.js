const line = document.querySelector("#passes");
const costs = [];

// The event bubbles: a listener on the document hears every widget of the page, also one that is not there yet.
document.addEventListener("generation-pass", ({ detail: { index, phase, flops } }) => {
  // Back and Reset take passes away: the next one has the index of the first that is gone.
  costs.length = index - 1;
  costs.push(flops);
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  line.textContent = `Pass ${index}, ${phase}: ${number(flops)} FLOPs. In all: ${number(all)} FLOPs.`;
});

const number = (value) => value.toLocaleString("en");
