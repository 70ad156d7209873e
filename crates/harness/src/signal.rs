//! Signals by name. The shell's own `kill` is used: small systems have no other.

use std::process::Command;

/// Sends a signal to one process; false if there is no such process. `"0"` only asks whether there is.
pub fn signal(pid: u32, name: &str) -> bool {
    Command::new("sh")
        .args(["-c", "kill -s \"$1\" \"$2\" 2>/dev/null", "sh", name])
        .arg(pid.to_string())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_gets_its_signal() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(signal(child.id(), "0"), "it is alive");
        assert!(signal(child.id(), "TERM"));
        assert!(!child.wait().unwrap().success());
    }
}
