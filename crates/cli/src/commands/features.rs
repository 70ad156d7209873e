//! `perennial feature`.

use super::flags::{organization, read_flag, wrong};
use super::records::{self, Column, Kind, Record, text};
use crate::arguments::{Feature as Command, FeatureCreate, FeatureFilters, FeatureUpdate, FeatureValues};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::features::{self, Query, position};
use perennial_app::revision::IfMatch;
use perennial_app::use_cases;
use perennial_domain::features::{
    Combine, Feature, FeatureDescription, FeatureDraft, FeatureKey, FeatureKind, FeatureName, FeatureReference,
    QuotaPeriod,
};
use perennial_domain::meters::MeterKey;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "feature",
    fields: || record_fields("Feature"),
    columns: &[
        Column::whole("KEY", "key"),
        Column::new("NAME", "name"),
        Column::new("KIND", "kind"),
        Column::new("COMBINE", "combine"),
        Column::new("PERIOD", "period"),
        Column::new("ACTIVE", "is_active"),
        Column::new("ID", "id"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Record(command) => records::run::<Feature>(app, command, json).await,
        Command::Create(flags) => create(app, &flags, json).await,
        Command::Update(flags) => update(app, &flags, json).await,
    }
}

async fn create(app: &App, flags: &FeatureCreate, json: bool) -> Result<(), Failure> {
    let no_meter = || InvalidValue::new(ValidationCode::NotFound, "must be the slug or ID of a meter");
    let meter = read_flag("meter", flags.meter.as_deref(), |text| MeterKey::parse(text).ok_or_else(no_meter))?;
    let draft = FeatureDraft {
        key: Some(FeatureKey::parse(&flags.key).map_err(|reason| wrong("key", &reason))?),
        name: Some(FeatureName::parse(&flags.name).map_err(|reason| wrong("name", &reason))?),
        kind: Some(FeatureKind::parse(&flags.kind).map_err(|reason| wrong("kind", &reason))?),
        meter: meter.map(Some),
        period: read_flag("period", flags.period.as_deref(), QuotaPeriod::parse)?.map(Some),
        ..values(&flags.values)?
    };
    let caller = Caller::system(organization(app, &flags.org.org).await?.id);
    let created = features::create(app, &caller, draft).await.map_err(explained)?;
    output::print(json, &created, || format!("Created {} ({}).", created.key.as_str(), created.id))
}

async fn update(app: &App, flags: &FeatureUpdate, json: bool) -> Result<(), Failure> {
    let name = read_flag("name", flags.name.as_deref(), FeatureName::parse)?;
    let patch = FeatureDraft { name, ..values(&flags.values)? };
    let FeatureDraft { name, description, combine, per_unit, is_active, .. } = &patch;
    if name.is_none() && description.is_none() && combine.is_none() && per_unit.is_none() && is_active.is_none() {
        return Err(Failure::new("nothing to update: give at least one field, such as --is-active false"));
    }
    let caller = Caller::system(organization(app, &flags.org.org).await?.id);
    let id = records::find::<Feature>(app, &caller, &flags.feature).await?.id;
    let read = |_: &Feature| (patch.clone(), ValidationErrors::none());
    let named = FeatureReference::Id(id);
    let updated = use_cases::update::<Feature>(app, &caller, &named, &IfMatch::Unconditional, read).await;
    let updated = updated.map_err(explained)?;
    output::print(json, &updated, || format!("Updated {}.", updated.key.as_str()))
}

fn values(flags: &FeatureValues) -> Result<FeatureDraft, Failure> {
    Ok(FeatureDraft {
        description: read_flag("description", flags.description.as_deref(), FeatureDescription::parse)?,
        combine: read_flag("combine", flags.combine.as_deref(), Combine::parse)?,
        per_unit: flags.per_unit,
        is_active: flags.is_active,
        ..FeatureDraft::default()
    })
}

/// The failure of a command, with a sentence for each conflict and each invalid field.
fn explained(error: Error) -> Failure {
    match error {
        Error::Conflict(Conflict::FeatureKeyTaken) => Failure::new("another feature has this key already"),
        Error::Conflict(Conflict::FeatureLimit) => Failure::new("the organization has the maximum of 500 features"),
        Error::Invalid(errors) => {
            let faults: Vec<String> = errors
                .iter()
                .map(|error| {
                    format!("--{} {}", error.pointer.trim_start_matches('/').replace('_', "-"), error.reason.detail)
                })
                .collect();
            Failure::new(faults.join("; "))
        }
        error => error.into(),
    }
}

impl Record for Feature {
    type Filters = FeatureFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        features::read(app, caller, &FeatureReference::parse(named).ok_or(Error::NotFound)?).await
    }

    async fn query(_: &App, _: &Caller, filters: &FeatureFilters) -> Result<Query, Failure> {
        let kind = read_flag("kind", filters.kind.as_deref(), FeatureKind::parse)?;
        Ok(Query { kind, is_active: filters.is_active })
    }

    async fn page(
        app: &App,
        caller: &Caller,
        query: &Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        features::page(app, caller, *query, after, limit).await
    }

    fn position(&self, _: &Query) -> Position {
        position(self)
    }

    fn name(&self) -> String {
        self.key.as_str().to_owned()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
