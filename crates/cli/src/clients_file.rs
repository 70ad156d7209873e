//! What the first run tells: the two client ids, once on a terminal, and in a private file.

use crate::failure::Failure;
use crate::private_file;
use perennial_app::first_run::FirstRun;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;

/// Keeps the ids in `clients.json` and tells them, or where they are.
pub(crate) fn tell(first: &FirstRun, directory: &Path, address: SocketAddr, keep: bool) -> Result<(), Failure> {
    let path = directory.join("clients.json");
    if keep {
        let content = serde_json::json!({
            "organization_id": first.organization.id,
            "trusted_client_id": first.trusted.expose(),
            "public_client_id": first.public.as_str(),
        });
        std::fs::create_dir_all(directory)
            .and_then(|()| private_file::create(&path, &format!("{content:#}\n")))
            .map_err(|error| Failure::new(format!("the client ids cannot be written to {}: {error}", path.display())))?;
    }
    if !std::io::stdout().is_terminal() {
        if keep {
            tracing::info!(path = %path.display(), "first run: the client ids are in a private file");
        }
        return Ok(());
    }
    println!("\nA new store. Its organization is `default`; two clients may call it:\n");
    println!("  trusted  {}  (a credential: for your servers, never for a browser)", first.trusted.expose());
    println!("  public   {}  (no secret: for browsers and apps)\n", first.public.as_str());
    if keep {
        println!("They are kept in {}. Try:\n", path.display());
    }
    println!("  curl -H 'client-id: {}' http://{address}/subscription-plans\n", first.trusted.expose());
    Ok(())
}
