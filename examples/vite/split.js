import "generation-loop/split";
import "./passes.js";
