//! The page, its files, and attack 58: no path reaches the file system.

use perennial_http::{ApiOptions, ConsoleOptions};
use perennial_testkit::{Request, TestApp, TestOptions};

/// A navigation: no cookie, no header of the console.
pub(crate) fn visit(app: &TestApp, target: &str) -> Request {
    app.anonymous("GET", target).header("host", app.address.to_string())
}

/// The build that the page loads.
pub(crate) async fn build(app: &TestApp) -> String {
    let page = String::from_utf8(visit(app, "/console/").send().await.expect(200).bytes).unwrap();
    let (_, rest) = page.split_once("/console/assets/").unwrap();
    rest.split_once('/').unwrap().0.to_owned()
}

#[tokio::test]
async fn every_path_below_the_console_is_its_page_and_needs_no_session() {
    let app = TestApp::start().await;
    let redirect = visit(&app, "/console").send().await.expect(308);
    assert_eq!(redirect.header("location"), "/console/");
    let page = visit(&app, "/console/").send().await.expect(200).bytes;
    for path in ["/console/subscriptions?status=active", "/console/plans/pro", "/console/a/b/c", "/console/..%2fx"] {
        let same = visit(&app, path).send().await.expect(200);
        assert_eq!(same.bytes, page, "{path}");
        assert_eq!(same.header("cache-control"), "no-cache");
        assert_eq!(same.header("content-type"), "text/html; charset=utf-8");
    }
    app.anonymous("POST", "/console/x").header("host", app.address.to_string()).send().await.expect(405);
    visit(&app, "/consoles").send().await.expect(404);
}

#[tokio::test]
async fn files_are_compressed_and_cached_for_good_under_the_name_of_their_build() {
    let app = TestApp::start().await;
    let build = build(&app).await;
    assert!(build.len() == 16 && build.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let kinds = [
        ("app.js", "text/javascript"),
        ("app.css", "text/css"),
        ("subscriptions.js", "text/javascript"),
        ("NOTICES", "text/plain"),
    ];
    for (name, kind) in kinds {
        let file = visit(&app, &format!("/console/assets/{build}/{name}")).send().await.expect(200);
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable", "{name}");
        assert_eq!(file.header("content-encoding"), "gzip");
        assert!(file.header("content-type").starts_with(kind), "{name}");
        assert_eq!(file.bytes[..2], [0x1f, 0x8b]);
    }
    let session = app.signed_in_operator("Ada", "viewer").await;
    let read = session.get("/operator-session").await.expect(200);
    assert_eq!(read.data()["build"], build.as_str());
}

#[tokio::test]
async fn attack_58_names_come_from_a_table() {
    let app = TestApp::start().await;
    let build = build(&app).await;
    for path in [
        format!("/console/assets/{build}/unknown.js"),
        format!("/console/assets/{build}/"),
        format!("/console/assets/{build}"),
        format!("/console/assets/{build}/app.js/"),
        format!("/console/assets/{build}//app.js"),
        format!("/console/assets/{build}/./app.js"),
        format!("/console/assets/{build}/../{build}/app.js"),
        format!("/console/assets/{build}/..%2f..%2fCargo.toml"),
        format!("/console/assets/{build}/%2e%2e/app.js"),
        format!("/console/assets/{build}/app%2ejs"),
        format!("/console/assets/{build}/index.html"),
        format!("/console/assets/{build}/SHA256SUMS"),
        "/console/assets/0000000000000000/app.js".to_owned(),
        "/console/assets/../../../../etc/passwd".to_owned(),
        "/console/assets/".to_owned(),
    ] {
        visit(&app, &path).send().await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn a_disabled_console_has_no_pages() {
    let console = ConsoleOptions::default();
    let api = ApiOptions { console, ..ApiOptions::default() };
    let app = TestApp::with(TestOptions { api, ..TestOptions::default() }).await;
    for path in ["/console", "/console/", "/console/subscriptions", "/console/assets/x/app.js"] {
        visit(&app, path).send().await.refused(404, "route_not_found");
    }
}

#[test]
fn attack_57_the_committed_files_have_the_sums_that_name_their_build() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/console");
    let sums = std::fs::read_to_string(directory.join("SHA256SUMS")).unwrap();
    let mut listed: Vec<&str> = Vec::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let hash = perennial_app::keys::sha256(&[&std::fs::read(directory.join(name)).unwrap()]);
        assert_eq!(data_encoding::HEXLOWER.encode(&hash), sum, "{name}");
        listed.push(name);
    }
    listed.push("SHA256SUMS");
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), listed.len(), "a file is not listed");
}
