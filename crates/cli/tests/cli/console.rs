//! The console as operators reach it: on a separate listener, and by a link that a browser opens.

use crate::support::{Caller, Connection, Output, Place, Server, free_ports};
use serde_json::json;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

fn status(address: SocketAddr, target: &str) -> u16 {
    Connection::open(address).unwrap().call("GET", target, &[], None).unwrap().status
}

#[test]
fn a_console_with_a_listener_of_its_own_is_nowhere_else() {
    let place = Place::new();
    let (port, _) = free_ports();
    let console = SocketAddr::from(([127, 0, 0, 1], port));
    std::fs::write(place.path().join("perennial.toml"), format!("[console]\nlisten = \"{console}\"\n")).unwrap();
    let server = Server::start(&mut place.serve_command());
    let client_id = place.first("trusted_client_id");

    assert_eq!((status(console, "/console/"), status(server.address, "/console/")), (200, 404));
    assert_eq!((status(console, "/operator-session"), status(server.address, "/operator-session")), (403, 404));
    // A client's credential works on the listener of clients alone.
    server.caller(client_id.clone()).get("/subscription-plans").expect(200);
    Caller { address: console, client_id }.get("/subscription-plans").expect(403);
    // The link names the console's listener, and signs in there.
    let link = place.json(&["console", "open"]);
    let url = link["url"].as_str().unwrap();
    let (page, link) = url.split_once("#link=").expect(url);
    assert!(page.starts_with(&format!("http://{console}/console/")), "{url}");
    let sign_in = |address: SocketAddr| {
        let origin = format!("origin: http://{address}");
        let body = json!({ "link": link });
        let headers = [origin.as_str(), "x-perennial-console: 1", "sec-fetch-site: same-origin"];
        Connection::open(address).unwrap().call("POST", "/operator-session", &headers, Some(&body)).unwrap().status
    };
    assert_eq!((sign_in(server.address), sign_in(console)), (404, 200));
}

#[test]
fn the_link_reaches_the_browser_in_a_private_file_and_never_as_an_argument() {
    let place = Place::new();
    let _server = place.serve();
    let bin = place.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let browser = bin.join("xdg-open");
    std::fs::write(&browser, "#!/bin/sh\nprintf '%s' \"$*\" > arguments\nstat -c %a \"$1\" > mode\n").unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let open = || Output::of(place.program().env("PATH", &path).args(["console", "open", "--browser"]));

    assert_eq!(open().succeeded(), "The browser opens the console.\n");
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let file = place.data().join("console.html");
    assert_eq!((read("arguments"), read("mode")), (file.display().to_string(), "600\n".to_owned()));
    let first = std::fs::read_to_string(&file).unwrap();
    assert!(first.contains("url=http://127.0.0.1:8080/console/#"), "{first}");
    // The next one replaces it.
    open().succeeded();
    assert_ne!(std::fs::read_to_string(&file).unwrap(), first);
    std::fs::write(&browser, "#!/bin/sh\nexit 3\n").unwrap();
    open().refused_with(&["xdg-open", "without --browser"]);
}
