//! `cargo xtask wasm` builds the WebAssembly that the JavaScript imports; `cargo xtask test-runner` runs wasm tests.
//!
//! Both use wasm-bindgen as a *library*, so that one lock file fixes the version on the Rust side and on the JavaScript
//! side: there is no separately installed command whose version could differ.

mod slim;
mod trained;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use base64::prelude::{BASE64_STANDARD, Engine};

/// The package that becomes WebAssembly, and the name that cargo gives its library.
const PACKAGE: &str = "generation-loop";
const LIBRARY: &str = "generation_loop";
const TARGET: &str = "wasm32-unknown-unknown";

const USAGE: &str = "usage: cargo xtask wasm                    build www/pkg/ from the crate
       cargo xtask test-runner <file.wasm>…  run wasm tests (cargo calls this by itself)";

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1);
    match arguments.next().as_deref().and_then(|word| word.to_str()) {
        Some("wasm") => match arguments.next() {
            None => wasm(),
            Some(extra) => bail!("`wasm` takes no argument, but got {}\n{USAGE}", extra.display()),
        },
        Some("test-runner") => test_runner(arguments),
        _ => bail!("{USAGE}"),
    }
}

/// Compiles the crate, and puts it into `www/pkg/` with the types of what it exports.
fn wasm() -> Result<()> {
    let root = workspace_root()?;
    let target_directory = target_directory()?;
    let compiled = compile(&root, &target_directory)?;

    // What wasm-bindgen makes is not what is imported: the boundary is one of numbers, and needs no glue.
    let scratch = target_directory.join("xtask-glue");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| format!("cannot clear {}", scratch.display()))?;
    }
    bind(&compiled, &scratch)?;
    let module = format!("{LIBRARY}_bg.wasm");
    let bytes = slim::slim(&read(&scratch.join(&module))?)?;
    let package = root.join("www/pkg");
    fs::create_dir_all(&package).with_context(|| format!("cannot create {}", package.display()))?;
    // `www/pkg/` changes only where the content did.
    replace_if_different(&package.join(&module), &bytes)?;
    let types = format!("{module}.d.ts");
    replace_if_different(&package.join(&types), &read(&scratch.join(&types))?)?;

    // The same bytes once more, as text in a module: Node, workers, pages from disk and every bundler can import that
    // alike, with no fetch that a host's paths, MIME types, CORS or content policy could break. Deflated first: a web
    // server's own compression does badly on base64, and loses a third.
    let module = format!("export const deflatedWasm = \"{}\";\n", BASE64_STANDARD.encode(deflate(&bytes)?));
    replace_if_different(&package.join("wasm.js"), module.as_bytes())?;
    let types =
        "/** The WebAssembly module, deflated (raw), in base64. */\nexport declare const deflatedWasm: string;\n";
    replace_if_different(&package.join("wasm.d.ts"), types.as_bytes())?;

    println!("www/pkg: {} bytes of WebAssembly", bytes.len());

    let (module, types) = trained::module(&root.join("crate/models/trained"))?;
    replace_if_different(&package.join("trained.js"), module.as_bytes())?;
    replace_if_different(&package.join("trained.d.ts"), types.as_bytes())
}

/// Runs cargo for the WebAssembly target and returns the file that it made.
fn compile(root: &Path, target_directory: &Path) -> Result<PathBuf> {
    // Cargo says where it is through this variable; the bare name is for an xtask that was started by hand.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(&cargo)
        .current_dir(root)
        .args(["rustc", "--quiet", "--release", "--lib", "--target", TARGET, "--package", PACKAGE])
        // Asked for here and not in the manifest, where it would be linked for every program that depends on the crate.
        // The rlib beside it keeps the inlining as it is: without it the module is no faster, and deflates less well.
        .args(["--crate-type", "rlib,cdylib"])
        // Given rather than guessed: this is how the place of the result is known without asking cargo for it.
        .arg("--target-dir")
        .arg(target_directory)
        .status()
        .with_context(|| format!("cannot start {}", cargo.display()))?;
    ensure!(status.success(), "cargo build for {TARGET} failed ({status})");
    Ok(target_directory.join(TARGET).join("release").join(format!("{LIBRARY}.wasm")))
}

/// Has wasm-bindgen write the WebAssembly without its own sections, and types, into `directory`.
fn bind(compiled: &Path, directory: &Path) -> Result<()> {
    let flags = [
        "wasm-bindgen",
        "--target=web",
        // As the compiler wrote them: `slim` reads them, and takes them out.
        "--no-demangle",
        "--out-dir",
    ];
    let arguments = flags.into_iter().map(OsString::from).chain([directory.into(), compiled.into()]);
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments)
        .with_context(|| format!("wasm-bindgen cannot process {}", compiled.display()))
}

/// Runs the tests in the file that cargo passes, in Node or (`WASM_BINDGEN_USE_BROWSER=1`) in a headless browser.
fn test_runner(arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let arguments = [OsString::from("wasm-bindgen-test-runner")].into_iter().chain(arguments);
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments).context("the wasm tests failed")
}

/// Raw deflate, as `DecompressionStream("deflate-raw")` reads it, by the encoder that takes its time: 5 % smaller.
fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut deflated = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Deflate, bytes, &mut deflated)
        .context("cannot deflate")?;
    Ok(deflated)
}

/// Writes a file unless it already says just that, so that a dev server does not reload for nothing. Whoever reads it
/// meanwhile sees the old content or the new one, never half of one: a rename happens at once.
fn replace_if_different(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    fs::write(&fresh, content).with_context(|| format!("cannot write {}", fresh.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("cannot replace {}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The directory that holds the workspace's `Cargo.toml`.
fn workspace_root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).context("xtask does not lie two levels below the workspace root")?;
    Ok(root.to_path_buf())
}

/// Cargo's target directory: this program is its `debug/xtask`, wherever a setting has put it.
fn target_directory() -> Result<PathBuf> {
    let program = env::current_exe().context("cannot tell where this program lies")?;
    let directory = program.ancestors().nth(2).context("this program does not lie in a target directory")?;
    Ok(directory.to_path_buf())
}
