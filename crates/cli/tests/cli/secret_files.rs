//! Secrets in files that the environment names, as container platforms hand them out.

use crate::support::{MASTER_KEY, Output, Place, Server};

const BOOTSTRAP: &str = "bootstrap-0123456789-0123456789-0123456789";

#[test]
fn the_trusted_id_of_a_first_run_may_come_from_a_file() {
    let place = Place::new();
    std::fs::write(place.path().join("id"), format!("{BOOTSTRAP}\n")).unwrap();
    let server = Server::start(place.serve_command().env("PERENNIAL_BOOTSTRAP_CLIENT_ID_FILE", "id"));
    server.caller(BOOTSTRAP).get("/subscriptions").expect(200);
    assert!(!place.data().join("clients.json").exists());
    let (output, _) = server.stop("TERM");
    assert!(!output.stderr.contains(BOOTSTRAP), "{}", output.stderr);
}

#[test]
fn the_database_may_come_from_a_file() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("url"), "postgres://u:hunter2@127.0.0.1:1/d\n").unwrap();
    let mut command = place.serve_command();
    command.env("PERENNIAL_MASTER_KEY", MASTER_KEY).env("PERENNIAL_DATABASE_URL_FILE", "url");
    let output = Output::of(&mut command);
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
    output.refused_with(&["PostgreSQL cannot be reached", "refused"]);
    // A flag beats the file, as it beats the variable.
    Output::of(command.args(["--database-url", "ftp://x"])).refused_with(&["must start with postgres://"]);
}

#[test]
fn a_database_that_a_file_names_is_used() {
    let Some(place) = Place::postgres() else { return crate::support::skipped("needs PERENNIAL_TEST_POSTGRES") };
    let mut command = place.serve_command();
    let url = command.get_envs().find(|(name, _)| *name == "PERENNIAL_DATABASE_URL").unwrap().1.unwrap().to_owned();
    std::fs::write(place.path().join("url"), url.into_encoded_bytes()).unwrap();
    command.env_remove("PERENNIAL_DATABASE_URL").env("PERENNIAL_DATABASE_URL_FILE", "url");
    Server::start(&mut command).wait_until_ready();
    assert_eq!(place.json(&["org", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_variable_and_its_file_together_are_refused() {
    for name in ["PERENNIAL_DATABASE_URL", "PERENNIAL_MASTER_KEY", "PERENNIAL_BOOTSTRAP_CLIENT_ID"] {
        let place = Place::sqlite();
        std::fs::write(place.path().join("secret"), MASTER_KEY).unwrap();
        let file = format!("{name}_FILE");
        let mut command = place.serve_command();
        command.env(name, MASTER_KEY).env(&file, "secret");
        Output::of(&mut command).refused_with(&[name, &file, "both set"]);
        command.env_remove(name).env(&file, "missing");
        Output::of(&mut command).refused_with(&[&file, "missing", "cannot be read"]);
    }
}
