const line = document.querySelector("#passes");
const costs = [];

document.querySelector("generation-loop").addEventListener("generation-pass", ({ detail }) => {
  const { index, phase, flops } = detail;
  // Back and Reset take passes away: the next one has the index of the first that is gone.
  costs.length = index - 1;
  costs.push(flops);
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  line.textContent = `Pass ${index}, ${phase}: ${number(flops)} FLOPs. In all: ${number(all)} FLOPs.`;
});

const number = (value) => value.toLocaleString("en");
