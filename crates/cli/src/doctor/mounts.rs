//! The file system of a directory, as the kernel reports it.

use std::path::{Path, PathBuf};

/// The suitability of a file system for a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// Probably a disk of this machine.
    Local,
    /// Lost when the machine loses power.
    Memory,
    /// On another machine: locks and shared memory, which the WAL needs, do not work across machines.
    Network,
    /// Provided by another program or a host; whether locks work depends on it.
    Lent,
}

/// The file system of this path. `None` if the kernel does not report it.
pub(super) fn kind(path: &Path) -> Option<String> {
    let table = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    kind_in(&table, &path.canonicalize().ok()?)
}

pub(super) fn ground(kind: &str) -> Ground {
    match kind {
        "tmpfs" | "ramfs" => Ground::Memory,
        "nfs" | "nfs4" | "cifs" | "smb3" | "smbfs" | "afs" | "ceph" | "lustre" | "glusterfs" | "beegfs" | "gpfs"
        | "ocfs2" | "gfs2" | "fuse.sshfs" | "fuse.glusterfs" | "fuse.ceph" | "fuse.s3fs" | "fuse.rclone" => {
            Ground::Network
        }
        "9p" | "virtiofs" | "vboxsf" | "fuse" => Ground::Lent,
        _ if kind.starts_with("fuse.") => Ground::Lent,
        _ => Ground::Local,
    }
}

/// The deepest mount above the path. Of several at one point the last one hides the others.
fn kind_in(table: &str, path: &Path) -> Option<String> {
    let mounts = table.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let point = PathBuf::from(unescape(before.split(' ').nth(4)?));
        path.starts_with(&point).then(|| (point.components().count(), after.split(' ').next().unwrap_or_default()))
    });
    mounts.max_by_key(|(depth, _)| *depth).map(|(_, kind)| kind.to_owned())
}

/// Spaces and similar characters are written as three octal digits.
fn unescape(text: &str) -> String {
    let pairs = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    pairs.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:27 / /srv/my\\040data rw,relatime shared:9 master:2 - nfs4 server:/export rw,vers=4.2
31 22 0:28 / /srv rw - tmpfs tmpfs rw
32 22 0:29 / /srv rw - fuse.sshfs host: rw";

    #[test]
    fn the_deepest_and_latest_mount_holds_a_path() {
        let kind = |path: &str| kind_in(TABLE, Path::new(path)).unwrap();
        assert_eq!(kind("/var/lib"), "ext4");
        assert_eq!(kind("/srv/my data/perennial"), "nfs4");
        assert_eq!(kind("/srv/my"), "fuse.sshfs");
        assert_eq!(kind("/srvx"), "ext4");
        assert_eq!(kind_in("", Path::new("/")), None);
    }

    #[test]
    fn a_network_is_told_from_a_disk() {
        assert_eq!(["ext4", "xfs", "overlay", "zfs", "apfs"].map(ground), [Ground::Local; 5]);
        assert_eq!(["nfs", "nfs4", "cifs", "fuse.sshfs", "ceph"].map(ground), [Ground::Network; 5]);
        assert_eq!(["9p", "virtiofs", "fuse.gocryptfs"].map(ground), [Ground::Lent; 3]);
        assert_eq!(ground("tmpfs"), Ground::Memory);
    }
}
