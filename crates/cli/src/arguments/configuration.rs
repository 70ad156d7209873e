//! `perennial config`.

use super::Serve;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Configuration {
    /// Show every value and its source: the default, a line of the file, a variable or a flag.
    ///
    /// These are the values that `perennial serve` would use with the same flags. Secrets are not shown.
    Show(Serve),
    /// Check the configuration and report all errors with file and line. Fails if there is one.
    ///
    /// It reads the file, the environment and the files of secrets, but accesses neither the store nor the network.
    Check(Serve),
    /// Print a configuration file with every setting, its default and its description.
    Default,
    /// Print a JSON Schema of the configuration file.
    ///
    /// With `#:schema ./perennial.schema.json` as its first line, editors complete and check the file.
    Schema,
}
