//! The issuer itself, and how it ends.

use super::support::issuer;
use std::net::TcpStream;

#[test]
#[ignore = "this is the issuer, which the other tests start as a separate process"]
fn issuer_process() {
    perennial_fake_idp::run();
}

#[test]
fn an_issuer_is_another_process_and_ends_with_the_test_that_started_it() {
    let issuer = issuer();
    assert_ne!(issuer.id(), std::process::id());
    let address = issuer.url.strip_prefix("http://").unwrap().to_owned();
    assert!(TcpStream::connect(&address).is_ok());
    drop(issuer);
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn an_issuer_ends_by_itself_when_its_input_does() {
    assert!(issuer().close_input().success());
}
