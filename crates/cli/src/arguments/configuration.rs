//! `perennial config`.

use super::Serve;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Configuration {
    /// Show every value and where it comes from: the default, a line of the file, a variable, a flag.
    ///
    /// It shows what `perennial serve` would use with the same flags, here and now. Secrets are not shown.
    Show(Serve),
    /// Say all that is wrong with the configuration, with file and line; fails if anything is.
    ///
    /// It reads the file, the environment and the files of secrets, and touches neither the store nor the network.
    Check(Serve),
    /// Print a configuration file with every setting, its default and what it does.
    Default,
    /// Print a JSON Schema of the configuration file.
    ///
    /// With `#:schema ./perennial.schema.json` as its first line, editors complete and check the file.
    Schema,
}
