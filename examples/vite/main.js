import "generation-loop";
import "generation-loop/generation-loop.css";
import "./passes.js";
