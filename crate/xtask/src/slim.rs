//! Takes out of the WebAssembly what nobody will ever read: names, the words of panics, and what only glue would call.
//!
//! A panic is a bug of this project's. It ends the instance with a trap, and its message goes nowhere; but the standard
//! library makes one all the same, with all that it has for writing text.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use rustc_demangle::demangle;
use walrus::ir::{Call, Visitor, dfs_in_order};
use walrus::{Export, FunctionBuilder, FunctionId, FunctionKind, Module, ModuleConfig};

/// Functions that end in a trap sooner or later.
const PANICS: [&str; 6] = [
    "core::panicking::",
    "std::panicking::",
    "core::slice::index::slice_index_fail",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
    "alloc::raw_vec::handle_error",
];

/// Functions that write text for those: the crate's own messages are made without them.
const FORMATTING: [&str; 2] = ["core::fmt::", "core::str::count::"];

/// The same module without them.
pub(crate) fn slim(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut module = ModuleConfig::new().generate_name_section(false).generate_producers_section(false).parse(bytes)?;
    // Which features were used is a note of the compiler's to the linker.
    module.customs.remove_raw("target_features");
    let formatting = named(&module, &FORMATTING);
    ensure_unused(&module, &formatting)?;
    for id in named(&module, &PANICS).union(&formatting) {
        let function = module.types.get(module.funcs.get(*id).ty());
        let (parameters, results) = (function.params().to_vec(), function.results().to_vec());
        let mut trap = FunctionBuilder::new(&mut module.types, &parameters, &results);
        trap.func_body().unreachable();
        let arguments = parameters.iter().map(|kind| module.locals.add(*kind)).collect();
        module.funcs.get_mut(*id).kind = FunctionKind::Local(trap.local_func(arguments));
    }
    // The boundary is one of numbers: there is no glue, and nothing has to be made ready for it.
    let of_glue: Vec<_> =
        module.exports.iter().filter(|export| export.name.starts_with("__")).map(Export::id).collect();
    for id in of_glue {
        module.exports.delete(id);
    }
    walrus::passes::gc::run(&mut module);
    if let Some(import) = module.imports.iter().next() {
        bail!("the WebAssembly imports {} from {}, which nobody gives it", import.name, import.module);
    }
    Ok(module.emit_wasm())
}

/// The functions with one of `words` in their names.
fn named(module: &Module, words: &[&str]) -> BTreeSet<FunctionId> {
    module
        .funcs
        .iter_local()
        .map(|(id, _)| id)
        .filter(|id| {
            let name = name(module, *id);
            words.iter().any(|word| name.contains(word))
        })
        .collect()
}

fn name(module: &Module, id: FunctionId) -> String {
    format!("{:#}", demangle(module.funcs.get(id).name.as_deref().unwrap_or_default()))
}

/// What the crate itself calls cannot become a trap.
fn ensure_unused(module: &Module, functions: &BTreeSet<FunctionId>) -> Result<()> {
    struct Calls(Vec<FunctionId>);
    impl Visitor<'_> for Calls {
        fn visit_call(&mut self, call: &Call) {
            self.0.push(call.func);
        }
    }
    for (id, function) in module.funcs.iter_local() {
        let caller = name(module, id);
        if !caller.contains(crate::LIBRARY) {
            continue;
        }
        let mut calls = Calls(Vec::new());
        dfs_in_order(&mut calls, function, function.entry_block());
        for called in calls.0 {
            let (is_formatting, called) = (functions.contains(&called), name(module, called));
            let is_formatting = is_formatting || called.starts_with("alloc::fmt::");
            ensure!(!is_formatting, "{caller} calls {called}, for which the WebAssembly has no room; see `filled`");
        }
    }
    Ok(())
}
