//! Draws document numbers: read from the counter, and taken in the change that issues the documents.

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::invoices::numbers::Series;
use perennial_domain::lifecycle::calendar::year_in;
use perennial_domain::organizations::documents::NumberPrefix;
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::time::Time;
use perennial_store::{Change, number_series};

/// The numbers that a change draws, and those after it.
#[derive(Default)]
pub(crate) struct Numbers(Vec<Drawn>);

struct Drawn {
    series: Series,
    first: i64,
    count: i64,
}

impl Numbers {
    /// The next number of an organization's series with this prefix.
    pub(crate) async fn draw(
        &mut self,
        app: &App,
        organization: &Organization,
        prefix: &NumberPrefix,
        now: Time,
    ) -> Result<String, Error> {
        let series = series_of(organization, prefix, now);
        let place = match self.0.iter().position(|drawn| drawn.series == series) {
            Some(place) => place,
            None => {
                let first = number_series::next(&app.db, organization.id, series.as_str()).await?;
                self.0.push(Drawn { series, first, count: 0 });
                self.0.len() - 1
            }
        };
        let drawn = &mut self.0[place];
        let number = drawn.first + drawn.count;
        drawn.count += 1;
        Ok(drawn.series.number(number.unsigned_abs()))
    }

    /// Takes the numbers that were drawn in a change. The next change draws those after them.
    pub(crate) fn take(&mut self, change: Change, organization: OrganizationId) -> Change {
        self.0.iter_mut().filter(|drawn| drawn.count > 0).fold(change, |change, drawn| {
            let (first, count) = (drawn.first, std::mem::take(&mut drawn.count));
            drawn.first += count;
            number_series::draw(change, organization, drawn.series.as_str(), first, count)
        })
    }
}

/// The series of an organization with this prefix at an instant.
pub(super) fn series_of(organization: &Organization, prefix: &NumberPrefix, now: Time) -> Series {
    let settings = organization.settings();
    let year = settings.yearly_numbers.then(|| year_in(now, &settings.time_zone));
    Series::new(prefix.as_str(), year, organization.mode == OrganizationMode::Test)
}
