"""The version of the API's document. Written from `openapi.json` by `cargo xtask clients`; do not edit."""

VERSION = "0.1.0"
