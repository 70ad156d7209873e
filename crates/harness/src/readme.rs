//! The commands of the README, for tests that run them unchanged.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The shell blocks under a heading, one after the other.
pub fn commands(readme: &str, heading: &str) -> String {
    let sections = readme.split("\n## ");
    let section = sections.skip(1).find_map(|section| section.strip_prefix(heading)?.strip_prefix('\n'));
    let blocks = section.unwrap_or_default().split("```sh\n").skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).collect()
}

/// Writes a `cargo` into a directory that runs an existing program; the words after `--` are its arguments.
pub fn stand_in_for_cargo(directory: &Path, program: &Path) -> io::Result<()> {
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\nshift\nexec '{}' \"$@\"\n",
        program.display()
    );
    fs::create_dir_all(directory)?;
    let file = directory.join("cargo");
    fs::write(&file, script)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

/// The PATH with this directory before all others.
pub fn path_with(directory: &Path) -> OsString {
    let mut path = directory.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shell_blocks_of_the_section_count() {
        let page = "# A\n\n## One\n\n```sh\nfirst\n```\n\n## Two\n\ntext\n\n```sh\na\nb\n```\n\n```toml\nc\n```\n\n```sh\nd\n```\n\n## Three\n";
        assert_eq!(commands(page, "Two"), "a\nb\nd\n");
        assert_eq!(commands(page, "One"), "first\n");
        assert_eq!(commands(page, "Tw"), "");
    }
}
