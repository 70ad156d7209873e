//! `pgbench`, the limit of the database: the same point read and the same row, prepared, synced, with no service at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::failure::{Failure, Result, could_not};
use crate::measure::processes::family_time;
use crate::options::Options;
use crate::results::{Results, Round};
use crate::rows::cluster::Cluster;
use crate::rows::dataset::{self, Dataset, PLANS, SPREAD, first_millis, uuid_text};

const CONNECTIONS: [usize; 2] = [16, 64];
const SETTLE: Duration = Duration::from_millis(300);

/// The name of the result.
pub(crate) fn name(connections: usize) -> &'static str {
    if connections == 16 { "pgbench -c16" } else { "pgbench -c64" }
}

pub(crate) fn is_there(cluster: &Cluster) -> bool {
    let mut command = cluster.program("pgbench");
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The scripts of one loaded database.
pub(crate) struct Scripts {
    cluster: Cluster,
    read: PathBuf,
    insert: PathBuf,
    threads: usize,
}

impl Scripts {
    pub(crate) fn write(cluster: Cluster, dataset: Dataset, directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory).map_err(could_not("create a directory"))?;
        let organization = cluster.query("SELECT id FROM organizations WHERE name = 'default'")?.trim().to_owned();
        let (read, insert) = (directory.join("read.sql"), directory.join("insert.sql"));
        fs::write(&read, read_script(&organization, dataset)).map_err(could_not("write a script"))?;
        fs::write(&insert, insert_script(&organization, dataset)).map_err(could_not("write a script"))?;
        let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Ok(Self { cluster, read, insert, threads })
    }

    /// Measures each number of connections, and adds the results under the workload's name.
    pub(crate) fn measure(&self, results: &mut Results, workload: &str, options: &Options) -> Result {
        let script = if workload == "create" { &self.insert } else { &self.read };
        for connections in CONNECTIONS {
            let count = "SELECT count(*) FROM subscriptions";
            let before = self.cluster.query(count)?;
            let cpu = family_time(&[self.cluster.pid]);
            let printed = self.run(script, connections, options)?;
            // The backends end after pgbench has; their time counts once the server has collected them.
            std::thread::sleep(SETTLE);
            let cpu = family_time(&[self.cluster.pid]).saturating_sub(cpu);
            let (per_second, done) = read_output(&printed)
                .ok_or_else(|| Failure::new(format!("pgbench printed something else: {printed}")))?;
            let cpu_micros = Some(cpu.as_secs_f64() * 1e6 / done.max(1.0));
            results.add(
                workload,
                name(connections),
                Round { per_second, p50_micros: None, p99_micros: None, cpu_micros },
            );
            if workload == "create" && self.cluster.query(count)? == before {
                return Err(Failure::new("pgbench inserted nothing"));
            }
        }
        Ok(())
    }

    fn run(&self, script: &Path, connections: usize, options: &Options) -> Result<String> {
        let mut command: Command = self.cluster.program("pgbench");
        command
            .args(["--no-vacuum", "--protocol=prepared"])
            .arg(format!("--client={connections}"))
            .arg(format!("--jobs={}", self.threads.min(connections)))
            .arg(format!("--time={}", options.duration.as_secs().max(1)))
            .arg("--file")
            .arg(script)
            .arg(&self.cluster.url);
        let output = command.stdin(Stdio::null()).output().map_err(could_not("run pgbench"))?;
        if !output.status.success() {
            return Err(Failure::new(format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// pgbench draws numbers only, so the id is put together in the statement; that costs a microsecond or two.
fn read_script(organization: &str, dataset: Dataset) -> String {
    let (last, first) = (dataset.rows - 1, first_millis());
    format!(
        "\\set n random(0, {last})
\\set high ({first} + :n * 1000) * 65536 + 28672
\\set low -9223372036854775807 - 1 + :n * {SPREAD}
SELECT id, user_id, plan_id, external_id, billing_cycle, status, is_active, renews_at, starts_at, ends_at, created_at, \
updated_at, organization_id, revision FROM subscriptions WHERE organization_id = '{organization}' \
AND id = (lpad(to_hex(:high::bigint), 16, '0') || to_hex(:low::bigint))::uuid AND deleted_at IS NULL;
"
    )
}

/// Ids by time, as Perennial's are: random ones would cost the index more.
fn insert_script(organization: &str, dataset: Dataset) -> String {
    let last_user = dataset.users() - 1;
    let (first, plan) = (first_millis(), uuid_text(dataset::plan(PLANS - 1).bytes()));
    format!(
        "\\set n random(0, {last_user})
\\set high ({first} + :n * 1000) * 65536 + 28672
\\set low -9223372036854775807 - 1 + :n * {SPREAD}
\\set chance random(-9223372036854775807, -4611686018427387905)
INSERT INTO subscriptions (organization_id, id, user_id, plan_id, external_id, billing_cycle, status, is_active, \
starts_at, renews_at, ends_at, created_at, updated_at, revision) VALUES ('{organization}', \
(lpad(to_hex(((extract(epoch from clock_timestamp()) * 1000)::bigint << 16) | 28672), 16, '0') || to_hex(:chance::bigint))::uuid, \
(lpad(to_hex(:high::bigint), 16, '0') || to_hex(:low::bigint))::uuid, '{plan}', NULL, 'monthly', 'active', true, \
now(), now() + interval '30 days', NULL, now(), now(), '{plan}');
"
    )
}

/// Transactions per second without the time of connecting, and how many there were.
fn read_output(printed: &str) -> Option<(f64, f64)> {
    let after = |mark: &str| printed.lines().find_map(|line| line.trim().strip_prefix(mark));
    let first_word = |text: &str| text.split([' ', '/']).find(|word| !word.is_empty())?.parse::<f64>().ok();
    Some((first_word(after("tps = ")?)?, first_word(after("number of transactions actually processed:")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_and_the_count_are_read() {
        let printed = "transaction type: x\nnumber of transactions actually processed: 12345\nlatency average = 1 ms\n\
                       initial connection time = 9.1 ms\ntps = 2469.135802 (without initial connection time)\n";
        assert_eq!(read_output(printed), Some((2_469.135_802, 12_345.0)));
        assert_eq!(read_output("nothing"), None);
    }

    #[test]
    fn the_scripts_draw_over_all_rows() {
        let script = read_script("org", Dataset { rows: 500 });
        assert!(script.starts_with("\\set n random(0, 499)\n"));
        assert!(insert_script("org", Dataset { rows: 500 }).starts_with("\\set n random(0, 4)\n"));
    }
}
