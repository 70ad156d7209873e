//! Flags that several commands read: the organization, typed values and sort orders.

use crate::failure::Failure;
use perennial_app::context::App;
use perennial_app::organizations;
use perennial_app::subscriptions::Range;
use perennial_domain::organizations::Organization;
use perennial_domain::time::Time;
use perennial_domain::validation::InvalidValue;

/// The organization that `--org` names.
pub(super) async fn organization(app: &App, name_or_id: &str) -> Result<Organization, Failure> {
    let found = organizations::find(app, name_or_id).await?;
    found.ok_or_else(|| Failure::new(format!("there is no organization {name_or_id:?}: see `perennial org list`")))
}

/// The failure for a flag with an invalid value.
pub(super) fn wrong(flag: &str, reason: &InvalidValue) -> Failure {
    Failure::new(format!("--{flag} {}", reason.detail))
}

/// The value of a flag, if it was given.
pub(super) fn read_flag<T>(
    flag: &str,
    text: Option<&str>,
    read: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Result<Option<T>, Failure> {
    text.map(read).transpose().map_err(|reason| wrong(flag, &reason))
}

/// The values of a flag that takes several.
pub(super) fn read_flags<T>(
    flag: &str,
    texts: &[String],
    read: impl Fn(&str) -> Result<T, InvalidValue>,
) -> Result<Vec<T>, Failure> {
    texts.iter().map(|text| read(text)).collect::<Result<_, _>>().map_err(|reason| wrong(flag, &reason))
}

/// The instants between two flags: at the first or later, and before the second.
pub(super) fn range(flags: [&str; 2], [after, before]: [&Option<String>; 2]) -> Result<Range, Failure> {
    Ok(Range {
        after: read_flag(flags[0], after.as_deref(), Time::parse)?,
        before: read_flag(flags[1], before.as_deref(), Time::parse)?,
    })
}

/// A sort order by name, and whether it is descending: a `-` before the name reverses it.
pub(super) fn read_sort<T: Copy>(text: &str, known: &[(&str, T)]) -> Result<(T, bool), Failure> {
    let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, sort)| (*sort, descending)).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Failure::new(format!("--sort must be one of {}, with - before it to turn the order round", names.join(", ")))
    })
}
