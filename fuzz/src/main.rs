//! One parser at the edge under libFuzzer: `PERENNIAL_FUZZ_TARGET` names it. `cargo xtask fuzz` builds and runs this.
#![no_main]

use libfuzzer_sys::fuzz_target;
use perennial_fuzz::{Target, named};
use std::sync::LazyLock;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("PERENNIAL_FUZZ_TARGET").expect("PERENNIAL_FUZZ_TARGET names a target");
    named(&name).unwrap_or_else(|| panic!("there is no target {name}"))
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
