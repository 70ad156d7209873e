//! `cargo xtask otlp`: the exporter of traces and metrics against a real OpenTelemetry collector.
//! The collector (rotel) decodes with OTLP's own messages and prints what it received; this is what counts. A value in a
//! form that it does not understand is missing there, or an error in its log.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Tether};

use crate::postgres::free_port;
use crate::process::{self, Failure, Profile, Result, could_not};
use crate::python::Environment;
use crate::served::{CLIENT_ID, Place};

const COLLECTOR: Environment =
    Environment { directory: "otlp-venv", requirements: "xtask/otlp-requirements.txt", about: "the collector rotel" };

/// Prints where the program is, without running the package.
const FIND: &str = "import importlib.util, os; \
    print(os.path.join(os.path.dirname(importlib.util.find_spec('rotel').origin), 'rotel-agent'))";

const LIMIT: Duration = Duration::from_secs(30);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const PLAN: &str = r#"{"name":"Pro","slug":"pro","price":19.99,"billing_cycle":"monthly"}"#;

/// Lines of one span or metric as the collector prints it. Each group must be found together, in one block.
const EXPECTED: [&[&str]; 6] = [
    &[
        "Trace ID       : 4bf92f3577b34da6a3ce929d0e0e4736",
        "Parent ID      : 00f067aa0ba902b7",
        "Name           : POST /subscription-plans",
        "Kind           : SPAN_KIND_SERVER",
        "-> http.response.status_code: Int(201)",
        "-> perennial.request_id: Str(otlp-test)",
    ],
    &[
        "Trace ID       : 4bf92f3577b34da6a3ce929d0e0e4736",
        "Name           : store.commit",
        "Kind           : SPAN_KIND_CLIENT",
    ],
    &["Name           : GET /subscription-plans/{slug}", "-> http.response.status_code: Int(200)"],
    &[
        "-> Name: perennial_http_requests_total",
        "-> DataType: Sum",
        "-> IsMonotonic: true",
        "-> AggregationTemporality: AGGREGATION_TEMPORALITY_CUMULATIVE",
        "-> route: Str(/subscription-plans)",
    ],
    &["-> Name: perennial_http_request_seconds", "-> Unit: s", "-> DataType: Histogram"],
    &["-> DataType: Gauge"],
];

pub(crate) fn run() -> Result {
    let python = COLLECTOR.program("python")?;
    let program = process::output(Command::new(python).args(["-c", FIND]))?;
    process::build(&["perennial"], Profile::Dev)?;
    process::heading("OTLP");
    let place = Place::new("otlp", None)?;
    let log = place.directory().join("collector.log");
    let collector = Collector::start(Path::new(program.trim()), &log)?;
    let settings = format!("[telemetry]\notlp_endpoint = \"http://{}\"\nmetrics_seconds = 1\n", collector.address);
    fs::write(place.directory().join("perennial.toml"), settings).map_err(could_not("write perennial.toml"))?;
    place.serving(|api| use_the_api(api.trim_start_matches("http://")))?;
    // The stopped server has sent everything; the collector prints it in batches.
    let deadline = Instant::now() + LIMIT;
    loop {
        let printed = fs::read_to_string(&log).map_err(could_not("read the collector's log"))?;
        let errors = errors(&printed);
        if errors.is_empty() {
            println!("The collector has decoded every span and metric.");
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(Failure::new(format!("{}\nThe collector's log is {}.", errors.join("\n"), log.display())));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn use_the_api(address: &str) -> Result {
    let address: SocketAddr = address.parse().map_err(|_| Failure::new(format!("`{address}` is not an address.")))?;
    let trace = format!("00-{TRACE}-{PARENT}-01");
    let headers = [("client-id", CLIENT_ID), ("traceparent", &trace), ("x-request-id", "otlp-test")];
    let mut connection = Connection::open(address).map_err(could_not("connect to the server"))?;
    let mut call = |method: &str, target: &str, headers: &[(&str, &str)], body, status: u16| {
        let response = connection.call(method, target, headers, body).map_err(could_not(format!("call {target}")))?;
        if response.status == status {
            return Ok(());
        }
        Err(Failure::new(format!("{method} {target} returned {}: {}", response.status, response.json())))
    };
    call("POST", "/subscription-plans", &headers, Some(PLAN), 201)?;
    call("GET", "/subscription-plans/pro", &headers[..1], None, 200)
}

/// What is missing in the collector's output, or wrong with it.
fn errors(printed: &str) -> Vec<String> {
    let blocks = blocks(printed);
    let found = |lines: &&&[&str]| blocks.iter().any(|block| lines.iter().all(|line| block.contains(line)));
    let missing = EXPECTED.iter().filter(|lines| !found(lines));
    let mut errors: Vec<String> = missing.map(|lines| format!("not received: {}", lines.join(", "))).collect();
    // The text of an unknown form of a metric is no error for the collector, but its values are lost.
    errors.extend(blocks.iter().filter(|block| block.contains("DataType: Empty")).map(|block| {
        let name = block.lines().find(|line| line.contains("-> Name: ")).unwrap_or_default();
        format!("received without values: {}", name.trim())
    }));
    errors.extend(printed.lines().filter(|line| line.contains("Failed to decode")).map(str::to_owned));
    errors
}

/// The output, cut before each span and metric.
fn blocks(printed: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in printed.lines() {
        if line.starts_with("Span #") || line.starts_with("Metric #") || line.starts_with("Resource") {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            block.extend([line, "\n"]);
        }
    }
    blocks
}

/// A running collector; dropping it kills it, and so does the end of this process.
struct Collector {
    child: Child,
    address: SocketAddr,
    _tether: Tether,
}

impl Collector {
    fn start(program: &Path, log: &Path) -> Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        let other = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
        let output = File::create(log).map_err(could_not("create the collector's log"))?;
        let errors = output.try_clone().map_err(could_not("open the collector's log"))?;
        let child = Command::new(program)
            .args(["start", "--exporter", "blackhole"])
            .args(["--debug-log", "traces", "--debug-log", "metrics", "--debug-log-verbosity", "detailed"])
            .args(["--otlp-http-endpoint", &address.to_string(), "--otlp-grpc-endpoint", &other.to_string()])
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(could_not(format!("run {}", program.display())))?;
        let tether = Tether::to(child.id()).map_err(could_not("run `sh`"))?;
        let collector = Self { child, address, _tether: tether };
        let deadline = Instant::now() + LIMIT;
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                return Err(Failure::new(format!("the collector does not listen; its log is {}.", log.display())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(collector)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_without_values_is_an_error() {
        assert_eq!(errors("").len(), EXPECTED.len());
        let complete: Vec<String> = EXPECTED.iter().map(|lines| format!("Span #0\n{}\n", lines.join("\n"))).collect();
        let complete = complete.concat();
        assert!(errors(&complete).is_empty());
        let errors_after = |line: &str| errors(&format!("{complete}Metric #9\n-> Name: m\n{line}\n"));
        assert_eq!(errors_after("-> DataType: Empty"), ["received without values: -> Name: m"]);
        assert_eq!(
            errors_after("ERROR Failed to decode OTLP HTTP/JSON request."),
            ["ERROR Failed to decode OTLP HTTP/JSON request."]
        );
        // The parts of a span must be of one span.
        let torn =
            complete.replacen("Kind           : SPAN_KIND_SERVER", "Span #1\nKind           : SPAN_KIND_SERVER", 1);
        assert_eq!(errors(&torn).len(), 1);
    }
}
