"""Written by `cargo xtask clients`."""
