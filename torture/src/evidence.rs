//! Where a scenario leaves its journal, logs and databases: preserved if it failed, removed if it passed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Result, could_not};
use crate::report;
use crate::scenario::{Engine, Measured};

pub(crate) struct Evidence(PathBuf);

impl Evidence {
    /// An empty directory; what an earlier run of the same name left is removed.
    pub(crate) fn new(place: &Path, scenario: &str, engine: Engine, seed: u64) -> Result<Self> {
        let directory = place.join(format!("{scenario}-{engine}-{seed}"));
        let complaint = || could_not(format!("empty {}", directory.display()));
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(complaint())?;
        }
        fs::create_dir_all(&directory).map_err(complaint())?;
        Ok(Self(directory))
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.0
    }

    pub(crate) fn remove(self) -> Result {
        fs::remove_dir_all(&self.0).map_err(could_not(format!("remove {}", self.0.display())))
    }

    /// Writes the result next to the evidence.
    pub(crate) fn keep(self, outcome: &Result<Vec<Measured>>) -> Result {
        let mut text = String::new();
        match outcome {
            Ok(lines) => lines.iter().for_each(|line| text.extend([&report::line(line), "\n"])),
            // Writing to a string cannot fail.
            Err(failure) => drop(writeln!(text, "error: {failure}")),
        }
        let file = self.0.join("result.txt");
        fs::write(&file, text).map_err(could_not(format!("write {}", file.display())))?;
        println!("  evidence: {}", self.0.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_kept_or_removed_and_never_mixed_with_an_earlier_run_s() {
        let place = std::env::temp_dir().join(format!("perennial-evidence-{}", std::process::id()));
        let make = || Evidence::new(&place, "r1", Engine::Sqlite, 7).unwrap();
        make().keep(&Ok(vec![Measured::none("lost", 2)])).unwrap();
        let result = fs::read_to_string(place.join("r1-sqlite-7/result.txt")).unwrap();
        assert!(result.contains("lost") && result.contains("FALLS SHORT"), "{result}");
        let again = make();
        assert_eq!(fs::read_dir(again.directory()).unwrap().count(), 0);
        again.remove().unwrap();
        assert!(!place.join("r1-sqlite-7").exists());
        fs::remove_dir(place).unwrap();
    }
}
