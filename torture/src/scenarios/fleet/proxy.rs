//! HAProxy in front of the servers, with the file of `deploy/` in which nothing but addresses is exchanged.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use super::member::Member;
use crate::cluster::free_port;
use crate::failure::{Result, could_not};
use crate::home::Home;
use crate::proxies::{Listening, exchange, loopback, program};

const HAPROXY: &str = include_str!("../../../../deploy/haproxy.cfg");

pub(super) struct Proxy(Listening);

impl Proxy {
    pub(super) fn start(home: &Home, members: &[Member]) -> Result<Self> {
        let address = loopback(free_port()?);
        let mut text = exchange(HAPROXY, "bind :8080", &format!("bind {address}"))?;
        for (number, member) in members.iter().enumerate() {
            text = exchange(&text, &format!("10.0.0.1{}:8080", number + 1), &member.address().to_string())?;
        }
        let file = home.directory().join("haproxy.cfg");
        fs::write(&file, text).map_err(could_not("write haproxy.cfg"))?;
        let mut command = Command::new(program("haproxy")?);
        command.arg("-db").arg("-f").arg(&file);
        Listening::start(&mut command, address, &home.directory().join("haproxy.log")).map(Self)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.0.address()
    }
}
