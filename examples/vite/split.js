import "generation-loop/generation-loop.css";
import "generation-loop/split";
import "./passes.js";
