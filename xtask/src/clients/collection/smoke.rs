//! The collection's tour, taken by newman: what people import is what was seen to work.

use std::fs;
use std::path::PathBuf;

use super::super::npm;
use super::super::tours::Tour;
use super::{PATH, TOUR};
use crate::process::{self, Result, could_not};

const SOURCE: &str = "clients/postman";

/// Makes the tour ready to be run. The shell passes the tour's environment to newman as variables.
pub(crate) fn tour() -> Result<Tour> {
    let directory = newman()?;
    let script = format!(
        "exec node_modules/.bin/newman run '{}' --folder '{TOUR}' --bail --color off \
         --reporter-cli-no-banner --reporter-cli-no-success-assertions \
         --env-var \"baseUrl=$PERENNIAL_URL\" --env-var \"clientId=$PERENNIAL_CLIENT_ID\" \
         --env-var \"email=$PERENNIAL_EMAIL\" --env-var \"identityToken=$PERENNIAL_IDENTITY_TOKEN\"",
        process::root().join(PATH).display()
    );
    Ok(Tour { language: "Postman", program: "sh".into(), arguments: vec!["-c".to_owned(), script], directory })
}

/// Where the pinned newman is, installed once and again whenever its lock changes.
fn newman() -> Result<PathBuf> {
    npm::ensure_node()?;
    let source = process::root().join(SOURCE);
    let place = process::target()?.join(SOURCE);
    let lock = source.join("package-lock.json");
    let wanted = fs::read_to_string(&lock).map_err(could_not(format!("read {}", lock.display())))?;
    // Written last, so that an interrupted installation is begun again.
    let mark = place.join("installed-lock.json");
    if fs::read_to_string(&mark).ok().as_deref() != Some(&wanted) {
        process::heading("Installing newman");
        process::emptied(&place)?;
        let complaint = || could_not(format!("write into {}", place.display()));
        for file in ["package.json", "package-lock.json"] {
            fs::copy(source.join(file), place.join(file)).map_err(complaint())?;
        }
        // Nothing it depends on needs to be built, so none of it may run anything.
        process::run(npm::npm(&place).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]))?;
        fs::write(&mark, wanted).map_err(complaint())?;
    }
    Ok(place)
}
