//! What the server's metrics show of expired rows.

use perennial_harness::{Connection, Server};

use crate::failure::{Failure, Result, could_not};

const NAME: &str = "perennial_expired_rows{";

/// `perennial_expired_rows`, the sum over its tables.
#[derive(Default)]
pub(super) struct Expired {
    most: usize,
    last: Option<usize>,
}

impl Expired {
    pub(super) fn look(&mut self, server: &Server) -> Result<&Self> {
        let address = server.metrics().ok_or_else(|| Failure::new("the server has no metrics"))?;
        let page = Connection::open(address)
            .and_then(|mut one| one.call("GET", "/metrics", &[], None))
            .map_err(could_not("read the metrics"))?;
        self.last = sum(&String::from_utf8_lossy(&page.body));
        self.most = self.most.max(self.last.unwrap_or(0));
        Ok(self)
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    pub(super) fn is_zero(&self) -> bool {
        self.last == Some(0)
    }

    pub(super) fn last(&self) -> String {
        self.last.map_or_else(|| "not there".to_owned(), |last| last.to_string())
    }
}

fn sum(page: &str) -> Option<usize> {
    let values = page.lines().filter(|line| line.starts_with(NAME)).map(|line| line.rsplit(' ').next()?.parse().ok());
    let values: Vec<usize> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_added_up_and_a_page_without_them_is_none() {
        let page = "# TYPE perennial_expired_rows gauge\nperennial_expired_rows{table=\"sessions\"} 3\n\
                    perennial_expired_rows{table=\"idempotency_keys\"} 4\nother 9\n";
        assert_eq!(sum(page), Some(7));
        assert_eq!(sum("other 9\n"), None);
    }
}
