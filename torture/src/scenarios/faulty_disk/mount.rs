//! A small disk: a file system in memory, mounted where the data goes. Only root may.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result, could_not};

/// Unmounted when dropped.
pub(super) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Nothing without the permission to mount: only root has it, and not in every container.
    pub(super) fn mount(place: &Path, mebibytes: u32) -> Result<Option<Self>> {
        fs::create_dir(place).map_err(could_not(format!("create {}", place.display())))?;
        let size = format!("size={mebibytes}m,mode=700");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(place).output();
        let mounted = mount.map_err(could_not("run `mount`"))?.status.success();
        Ok(mounted.then(|| Self(place.to_path_buf())))
    }

    /// Takes all the room there is.
    pub(super) fn fill(&self) -> Result {
        let mut filler = File::create(self.filler()).map_err(could_not("fill the disk"))?;
        for piece in [64 * 1024, 4096] {
            loop {
                match filler.write_all(&vec![b'x'; piece]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => return Err(Failure::new(format!("could not fill the disk: {error}"))),
                }
            }
        }
        Ok(())
    }

    pub(super) fn free(&self) -> Result {
        fs::remove_file(self.filler()).map_err(could_not("free the disk"))
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("could not unmount {}; do it by hand", self.0.display());
        }
    }
}
