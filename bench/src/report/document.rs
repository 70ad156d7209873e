//! The document: the template with the run's tables, and the plots.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::table::{Table, count, number, optional};
use super::{goals, plot, work_table};
use crate::clock;
use crate::contracts;
use crate::failure::{Result, could_not};
use crate::growth;
use crate::machine;
use crate::measure::statistics::median;
use crate::options::Options;
use crate::results::Results;
use crate::slow_sync;
use crate::targets::target::{POSTGRES, SQLITE};
use crate::workloads::Workload;

const TEMPLATE: &str = include_str!("../../results.template.md");

pub(crate) const SMOKE: &str = "A smoke run: it shows that the instrument works, and its numbers mean nothing.";

/// Writes `RESULTS.md` and `plots/` and prints their paths.
pub(crate) fn write(options: &Options, results: &Results) -> Result {
    let directory = options.output();
    let plots = directory.join("plots");
    fs::create_dir_all(&plots).map_err(could_not(format!("create {}", plots.display())))?;
    let keep = |path: &Path, text: &str| fs::write(path, text).map_err(could_not(format!("write {}", path.display())));
    let mut workloads = String::new();
    for (name, title) in titles(results) {
        let rows: Vec<(String, f64)> = results
            .of(&name)
            .into_iter()
            .filter_map(|(target, summary)| Some((target.to_owned(), summary.cpu_micros?)))
            .collect();
        let file = format!("{}.svg", name.replace([' ', ','], "-"));
        keep(&plots.join(&file), &plot::bars(&title, "µs CPU per request", &rows))?;
        let table = work_table(results, &name).markdown();
        let _ = write!(workloads, "### {title}\n\n{table}\n\n![CPU µs per request: {title}](plots/{file})\n\n");
    }
    let mut grown = String::new();
    let sizes = growth::sizes(options);
    for engine in [SQLITE, POSTGRES] {
        let series = growth_series(results, engine, &sizes);
        if !series.is_empty() {
            let file = format!("growth-{}.svg", engine.replace(' ', "-"));
            keep(&plots.join(&file), &plot::lines(&format!("Growth, {engine}"), "µs", &sizes, &series))?;
            let table = growth_table(&sizes, &series).markdown();
            let _ = write!(grown, "### {engine}\n\n{table}\n\n![Growth, {engine}](plots/{file})\n\n");
        }
    }
    let text = fill(options, results, &workloads, &grown);
    keep(&directory.join("RESULTS.md"), &text)?;
    println!("\nwrote {} and {}", directory.join("RESULTS.md").display(), plots.display());
    Ok(())
}

fn fill(options: &Options, results: &Results, workloads: &str, grown: &str) -> String {
    let notes = fs::read_to_string(options.source.join("notes.md")).unwrap_or_default();
    let goals = goals::table(results, &growth::sizes(options), false).markdown();
    let values = [
        ("options", if options.peers { " --peers`".to_owned() } else { "`".to_owned() }),
        ("date", clock::now().to_string().chars().take(10).collect()),
        ("machine", pairs(["", ""], machine::describe(options).iter().chain(&results.versions))),
        ("rounds", options.rounds.to_string()),
        ("seconds", number(options.duration.as_secs_f64())),
        ("connections", options.connections.to_string()),
        ("rows", count(options.rows)),
        ("goals", goals),
        ("smoke", if options.quick { SMOKE.to_owned() } else { String::new() }),
        ("notes", notes.trim().to_owned()),
        ("contracts", contracts::report::stored(&options.source)),
        ("generator", optional(median(&results.generator_cpu))),
        ("workloads", workloads.trim().to_owned()),
        ("growth", or_none(grown.trim())),
        ("measurements", measurements(results)),
        ("absent", or_none(&list(results.absent.iter().map(|(name, reason)| format!("{name}: {reason}"))))),
        ("proofs", or_none(&list(results.proofs().map(|(what, rows)| format!("{what}: {}", count(rows)))))),
    ];
    let mut text = TEMPLATE.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), &value);
    }
    text.replace("\n\n\n\n", "\n\n")
}

/// The workloads that were measured, with their titles; those of the growth have a table of their own.
fn titles(results: &Results) -> Vec<(String, String)> {
    let known = Workload::ALL.into_iter().map(|workload| (workload.name().to_owned(), workload.title().to_owned()));
    let slow = (slow_sync::NAME.to_owned(), "Subscription create, every sync 2 ms slower".to_owned());
    known.chain([slow]).filter(|(name, _)| results.workloads().contains(name)).collect()
}

fn growth_series(results: &Results, engine: &str, sizes: &[u64]) -> Vec<(String, Vec<f64>)> {
    let values = |workload: Workload| {
        let cpu = |size: &u64| results.summary(&growth::name(workload, *size), engine)?.cpu_micros;
        sizes.iter().map(cpu).collect::<Option<Vec<f64>>>()
    };
    growth::WORKLOADS.into_iter().filter_map(|workload| Some((workload.name().to_owned(), values(workload)?))).collect()
}

fn growth_table(sizes: &[u64], series: &[(String, Vec<f64>)]) -> Table {
    let heads: Vec<String> = sizes.iter().map(|size| format!("{} rows", count(*size))).collect();
    let head: Vec<&str> =
        ["workload"].into_iter().chain(heads.iter().map(String::as_str)).chain(["last / first"]).collect();
    let mut table = Table::new(&head);
    for (name, values) in series {
        let grown = values.first().zip(values.last()).map(|(first, last)| last / first);
        let cells = values.iter().map(|value| number(*value));
        table.row([name.clone()].into_iter().chain(cells).chain([super::table::times(grown)]).collect());
    }
    table
}

fn measurements(results: &Results) -> String {
    let mut table = Table::new(&["", "", ""]);
    for (name, value, unit) in &results.measurements {
        table.row(vec![name.clone(), number(*value), (*unit).to_owned()]);
    }
    table.markdown()
}

fn pairs<'pairs>(head: [&str; 2], pairs: impl Iterator<Item = &'pairs (String, String)>) -> String {
    let mut table = Table::new(&head);
    for (name, value) in pairs {
        table.row(vec![name.clone(), value.clone()]);
    }
    table.markdown()
}

fn list(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("- {}", line.replace('\n', " "))).collect::<Vec<_>>().join("\n")
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "Nothing.".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_the_template_is_filled() {
        let options = Options::parse(["--quick".to_owned()]).unwrap();
        let text = fill(&options, &Results::default(), "", "");
        assert!(!text.contains("{{"), "{text}");
        assert!(text.contains("Written by `cargo xtask bench` on 2"));
    }

    #[test]
    fn growth_is_the_last_size_over_the_first() {
        let table = growth_table(&[10, 100], &[("plan".to_owned(), vec![10.0, 12.0])]);
        assert!(table.markdown().ends_with("| plan     |    10.0 |     12.0 |       1.20 × |"), "{}", table.markdown());
    }
}
