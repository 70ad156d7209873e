//! Which rows the server accepted, according to a trace: read from a connection that it had not yet closed. What arrives
//! after that is read and thrown away, so that the one who sent it sees the end and not a reset.

use std::collections::{HashMap, HashSet};

use super::super::syncs::order::marks;
use crate::strace::Call;

#[derive(Debug, Default)]
pub(super) struct Taken {
    rows: HashSet<usize>,
    /// Sockets that the server has said the end of.
    over: HashSet<String>,
    /// What each thread reads from.
    reading: HashMap<u32, String>,
}

impl Taken {
    pub(super) fn contains(&self, row: usize) -> bool {
        self.rows.contains(&row)
    }

    pub(super) fn see(&mut self, call: &Call<'_>) {
        match call.name {
            "shutdown" if call.begins() => self.over.extend(socket(call)),
            "recvfrom" => {
                if call.begins()
                    && let Some(socket) = socket(call)
                {
                    self.reading.insert(call.thread, socket);
                }
                if call.ends() && self.reading.get(&call.thread).is_none_or(|socket| !self.over.contains(socket)) {
                    self.rows.extend(marks(call.text));
                }
            }
            _ => {}
        }
    }
}

/// `25<socket:[10465660]>` of `25<socket:[10465660]>, SHUT_WR)`: a number is used again, this never.
fn socket(call: &Call<'_>) -> Option<String> {
    call.text.split_once('>').map(|(socket, _)| socket.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_end_is_not_taken() {
        let mut taken = Taken::default();
        for line in [
            r#"1 recvfrom(5<socket:[70]>, "row-000000001", 9, 0, NULL, NULL) = 13"#,
            "2 recvfrom(6<socket:[71]>,  <unfinished ...>",
            "1 shutdown(5<socket:[70]>, SHUT_WR) = 0",
            r#"2 <... recvfrom resumed>"row-000000002", 9, 0, NULL, NULL) = 13"#,
            "1 recvfrom(5<socket:[70]>,  <unfinished ...>",
            r#"1 <... recvfrom resumed>"row-000000003", 9, 0, NULL, NULL) = 13"#,
        ] {
            taken.see(&Call::parse(line).unwrap());
        }
        assert_eq!([1, 2, 3].map(|row| taken.contains(row)), [true, true, false]);
    }
}
