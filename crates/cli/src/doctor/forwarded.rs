//! Whether a running server ignores `x-forwarded-for`, as the server itself counts it on its metrics listener.

use super::report::Report;
use crate::config::Config;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const COUNTER: &str = "perennial_untrusted_forwarded_total ";
const PATIENCE: Duration = Duration::from_secs(2);
const LARGEST_PAGE_BYTES: u64 = 4 << 20;

/// Reads the metrics of the server with this configuration. If none is running, there is nothing to report.
pub(super) async fn look(report: &mut Report, config: &Config) {
    let Some(address) = listener(config) else { return };
    let Ok(Some(page)) = tokio::time::timeout(PATIENCE, fetch(address)).await else { return };
    let ignored = page.lines().find_map(|line| line.strip_prefix(COUNTER)?.parse::<u64>().ok()).unwrap_or(0);
    if ignored > 0 {
        report.warning(
            "proxies",
            format!(
                "the running server ignored x-forwarded-for in {ignored} requests, because they came from addresses \
                 that are not in `trusted_proxies`"
            ),
            "if a proxy runs in front of the server, also on the same host, add its address to `trusted_proxies`: until \
             then all users behind it share one address and one rate limit for sign-in and sign-up",
        );
    }
}

/// The address of the metrics, unless the system chose the port.
fn listener(config: &Config) -> Option<SocketAddr> {
    let mut address = config.metrics_listen(config.listen);
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    (address.port() != 0).then_some(address)
}

async fn fetch(address: SocketAddr) -> Option<String> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut page = Vec::new();
    stream.take(LARGEST_PAGE_BYTES).read_to_end(&mut page).await.ok()?;
    String::from_utf8(page).ok()
}
