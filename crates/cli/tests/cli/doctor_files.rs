//! `perennial doctor` on what lies around the store: the configuration, the directory, the files with secrets.

use crate::doctor::Seen;
use crate::support::{Place, skipped};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// A private configuration file.
fn configure(place: &Place, text: &str) {
    let path = place.path().join("perennial.toml");
    std::fs::write(&path, text).unwrap();
    set_mode(&path, 0o600);
}

/// Tests may run as root, which ignores permissions: a file is in place of the directory, and the kernel's own
/// directories take no files from anybody.
#[test]
fn a_directory_that_cannot_be_written_is_found() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("file"), "").unwrap();
    for path in ["file", "file/data"] {
        Seen::at(&place, &["--data-dir", path])
            .has_one_problem("data_directory", &[path, "not a directory", "--data-dir"]);
    }
    if !Path::new("/proc/self").exists() {
        return skipped("needs /proc for a read-only directory");
    }
    Seen::at(&place, &["--data-dir", "/proc/perennial"]).has_one_problem("data_directory", &["/proc/perennial"]);
}

#[test]
fn a_store_in_memory_is_found() {
    if !Path::new("/dev/shm").is_dir() {
        return skipped("needs /dev/shm for a store in memory");
    }
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let place = Place::sqlite();
    let seen = Seen::at(&place, &["--data-dir", directory.path().to_str().unwrap()]);
    seen.has_no_problem();
    seen.says("file_system", "warning", &["tmpfs", "--data-dir"]);
    seen.says("sync", "warning", &["no disk can do", "tmpfs", "ignores flushes"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// The report for a data directory with this file system, mounted in a private namespace.
/// `None` where nothing may be mounted.
fn seen_on_mount(place: &Place, options: &str) -> Option<Seen> {
    let script = format!("mount -t tmpfs -o {options} none \"$PERENNIAL_DATA_DIR\" && exec \"$0\" \"$@\"");
    let mounted = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script]).args(words).current_dir(place.path()).env_clear();
        command.envs(place.program().get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    std::fs::create_dir_all(place.data()).unwrap();
    let may_mount = mounted(&["true"]).output().is_ok_and(|output| output.status.success());
    may_mount.then(|| Seen::of(&mut mounted(&[env!("CARGO_BIN_EXE_perennial"), "doctor", "--json"])))
}

#[test]
fn a_disk_that_is_full_or_read_only_is_found() {
    let place = Place::sqlite();
    let Some(seen) = seen_on_mount(&place, "size=64m,mode=700") else { return skipped("needs the right to mount") };
    seen.has_one_problem("disk_space", &["of 64 MiB", "make room"]);
    let seen = seen_on_mount(&place, "size=512m,mode=700").unwrap();
    seen.has_no_problem();
    seen.says("disk_space", "warning", &["of 512 MiB", "make room"]);
    let seen = seen_on_mount(&place, "size=2g,mode=700,ro").unwrap();
    seen.has_one_problem("data_directory", &["Read-only file system", "--data-dir"]);
}

#[test]
fn files_with_secrets_that_others_can_read_are_found() {
    let place = Place::new();
    drop(place.serve());
    let names =
        if place.is_postgres() { vec!["clients.json"] } else { vec!["clients.json", "master.key", "perennial.db"] };
    for name in names {
        let path = place.data().join(name);
        set_mode(&path, 0o644);
        let chmod = format!("chmod 600 {}", path.display());
        Seen::at(&place, &[]).has_one_problem("permissions", &["everyone", "mode 644", &chmod]);
        set_mode(&path, 0o640);
        let seen = Seen::at(&place, &[]);
        seen.has_no_problem();
        seen.says("permissions", "warning", &["group", "mode 640", &chmod]);
        set_mode(&path, 0o600);
    }
    set_mode(&place.data(), 0o755);
    Seen::at(&place, &[]).says("permissions", "warning", &["mode 755", "chmod 700"]);
    set_mode(&place.data(), 0o777);
    Seen::at(&place, &[]).has_one_problem("permissions", &["mode 777", "chmod 700"]);
}

#[test]
fn a_configuration_with_secrets_that_others_can_read_is_found() {
    let place = Place::new();
    drop(place.serve());
    let path = place.path().join("perennial.toml");
    let provider = "[[providers]]\nkind = \"jwt_secret\"\nissuer = \"https://i\"\naudience = [\"a\"]\n";
    std::fs::write(place.path().join("secret"), "s".repeat(32)).unwrap();
    set_mode(&place.path().join("secret"), 0o600);
    configure(&place, &format!("{provider}secret = \"{}\"", "hunter2".repeat(5)));
    Seen::at(&place, &[]).has_no_problem();
    set_mode(&path, 0o640);
    let seen = Seen::at(&place, &[]);
    seen.has_no_problem();
    seen.says("permissions", "warning", &["perennial.toml", "group"]);
    assert!(!seen.data.to_string().contains("hunter2"));
    set_mode(&path, 0o604);
    Seen::at(&place, &[]).has_one_problem("permissions", &["perennial.toml", "everyone", "chmod 600"]);
    // One that names its secret's file has nothing to hide; the file has.
    configure(&place, &format!("{provider}secret_file = \"secret\""));
    set_mode(&path, 0o644);
    Seen::at(&place, &[]).has_no_problem();
    set_mode(&place.path().join("secret"), 0o644);
    Seen::at(&place, &[]).has_one_problem("permissions", &["secret holds secrets", "everyone"]);
}

#[test]
fn a_configuration_that_is_wrong_is_found_and_the_rest_of_it_followed() {
    let place = Place::new();
    drop(place.serve());
    let elsewhere = place.path().join("elsewhere");
    std::fs::rename(place.data(), &elsewhere).unwrap();
    configure(&place, &format!("lissten = \"x\"\ndata_dir = {elsewhere:?}\n"));
    let ask = || {
        let mut command = place.program();
        Seen::of(command.args(["doctor", "--json"]).env_remove("PERENNIAL_DATA_DIR"))
    };
    let seen = ask();
    seen.has_one_problem("configuration", &["perennial.toml:1", "lissten"]);
    seen.says("data_directory", "ok", &["elsewhere"]);
    seen.says("schema", "ok", &["this program's"]);
    configure(&place, "this is a letter");
    ask().says("configuration", "problem", &["perennial.toml:1"]);
    let seen = Seen::at(&place, &["--config", "missing.toml"]);
    seen.says("configuration", "problem", &["missing.toml", "cannot be read"]);
    configure(&place, &format!("public_url = \"ftp://x\"\ndata_dir = {elsewhere:?}\n[[providers]]\nkind = \"oidc\"\n"));
    let seen = ask();
    seen.says("configuration", "problem", &["public URL"]);
    seen.says("configuration", "problem", &["provider 1"]);
    seen.says("schema", "ok", &[]);
}

#[test]
fn whom_the_service_believes_is_looked_at() {
    let place = Place::sqlite();
    let seen = |settings: &str, words: &[&str]| {
        configure(&place, settings);
        Seen::at(&place, words)
    };
    for everyone in ["\"0.0.0.0/0\"", "\"::/0\"", "\"0.0.0.0/1\", \"128.0.0.0/1\""] {
        let seen = seen(&format!("trusted_proxies = [{everyone}]"), &[]);
        seen.has_one_problem("proxies", &["trusts everyone"]);
    }
    let open = ["--listen", "0.0.0.0:8080"];
    seen("", &open).says("proxies", "warning", &["0.0.0.0:8080", "`trusted_proxies`"]);
    seen("trusted_proxies = [\"10.0.0.0/8\"]", &open).says("proxies", "ok", &["10.0.0.0/8"]);
    seen("", &["--listen", "[::1]:8080"]).says("proxies", "ok", &["no proxy"]);
    let local = seen("local_provider = true\ntrusted_proxies = [\"10.0.0.0/8\"]", &open);
    local.says("local_provider", "warning", &["sign in as any user"]);
}
