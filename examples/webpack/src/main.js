import "generation-loop";
import "./passes.js";
