#!/bin/sh
# Wraps rustc for the crates of this workspace: the same build, with the counters that libFuzzer steers by.
# Stable Rust has no switch for them; these are the flags of LLVM's own pass. Sanitizers would need a nightly.
# Optimized for ten times the executions; checks of overflow and of debug builds stay. A setting of the profile would
# compile all dependencies again.
# A build script runs outside of the fuzzer, which defines the counters.
case " $* " in *" --crate-name build_script_build "*) exec "$@" ;; esac
exec "$@" -Copt-level=1 -Cdebug-assertions=on -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
