//! The table of the figures: on the terminal, in `bench/contracts.md`, and as a section of `bench/RESULTS.md`, where a run of
//! the benchmark leaves it as it is.

use std::fs;
use std::path::Path;

use super::figures::Figures;
use crate::clock;
use crate::failure::{Result, could_not};
use crate::machine;
use crate::options::Options;
use crate::report::document::SMOKE;
use crate::report::goal::goal_table;
use crate::report::table::{count, number};

const FILE: &str = "contracts.md";
const RESULTS: &str = "RESULTS.md";
const BEGIN: &str = "<!-- contracts: begin -->";
const END: &str = "<!-- contracts: end -->";

pub(super) fn write(options: &Options, figures: &Figures) -> Result {
    let goals = figures.goals();
    println!("\n{}", goal_table(goals.iter().filter(|goal| goal.value.is_some())).terminal());
    println!("\n{}", figures.notes().terminal());
    for goal in goals.iter().filter(|goal| goal.value.is_none()) {
        println!("{}: {}", goal.what, goal.verdict());
    }
    println!("\n{} parts were not measured to their end", figures.failures());
    if options.quick {
        println!("{SMOKE}");
    }
    let directory = options.output();
    fs::create_dir_all(&directory).map_err(could_not(format!("create {}", directory.display())))?;
    let text = section(options, figures);
    let store = |path: &Path, text: &str| fs::write(path, text).map_err(could_not(format!("write {}", path.display())));
    store(&directory.join(FILE), &text)?;
    let results = directory.join(RESULTS);
    if let Some(whole) = fs::read_to_string(&results).ok().and_then(|whole| replaced(&whole, &text)) {
        store(&results, &whole)?;
    }
    println!("wrote {}", directory.join(FILE).display());
    Ok(())
}

/// The section of the last run, for a document that is written anew.
pub(crate) fn stored(source: &Path) -> String {
    fs::read_to_string(source.join(FILE))
        .map_or_else(|_| "## Figures of the contracts\n\nNot measured yet.".to_owned(), |text| text.trim().to_owned())
}

/// The document with another section; `None` if it has no place for it.
fn replaced(whole: &str, section: &str) -> Option<String> {
    let (before, rest) = whole.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}\n{END}{after}", section.trim()))
}

fn section(options: &Options, figures: &Figures) -> String {
    let date: String = clock::now().to_string().chars().take(10).collect();
    let machine: Vec<String> = machine::describe(options)
        .into_iter()
        .filter(|(name, _)| ["processors", "commit", "PostgreSQL"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let smoke = if options.quick { format!("{SMOKE}\n\n") } else { String::new() };
    format!(
        "## Figures of the contracts\n\n{smoke}Written by `cargo xtask bench --contracts --rows {rows}` on {date}. {machine}. Medians \
         of {rounds} rounds of {seconds} s each; {subscriptions} subscriptions, as many users, and as many renewals due at one \
         midnight; 64 connections where the goal names them, otherwise four.\n\n{goals}\n\n### Values without a goal\n\n{notes}\n",
        rows = options.rows,
        machine = machine.join(", "),
        rounds = options.rounds,
        seconds = number(options.duration.as_secs_f64()),
        subscriptions = count(options.rows),
        goals = goal_table(figures.goals().iter()).markdown(),
        notes = figures.notes().markdown(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_replaced_and_the_rest_stays() {
        let whole = format!("# Results\n\n{BEGIN}\nold\n{END}\n\n## More\n");
        assert_eq!(replaced(&whole, "new\n"), Some(format!("# Results\n\n{BEGIN}\nnew\n{END}\n\n## More\n")));
        assert_eq!(replaced("# Results\n", "new"), None);
    }

    #[test]
    fn every_goal_is_in_the_section() {
        let options = Options::for_contracts(["--quick".to_owned()]).unwrap();
        let text = section(&options, &Figures::default());
        for goal in Figures::default().goals() {
            assert!(text.contains(&goal.what), "{}", goal.what);
        }
    }
}
