/** Listens to the element's events: they bubble, so anything around it can. */

const output = (id) => document.getElementById(id);

document.addEventListener("generation-pass", ({ detail: pass }) => {
  output("passes").textContent = String(pass.index);
});

document.addEventListener("generation-stop", ({ detail: stop }) => {
  output("end").textContent = `It stopped: ${stop.reason}.`;
});

document.addEventListener("generation-error", ({ detail: error }) => {
  output("end").textContent = `It failed: ${error.code}.`;
});
