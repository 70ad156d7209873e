//! `perennial provider` and `perennial identity`. A secret is never a flag's value, which every process list shows.

use super::InOrg;
use crate::providers::Preset;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use perennial_app::providers::{Algorithm, EmailVerified, ProviderKind};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Provider {
    /// Add an identity provider. Running servers use it within 5 seconds.
    Add(Box<ProviderAdd>),
    /// List an organization's providers, from the configuration file and the store.
    List {
        #[command(flatten)]
        org: InOrg,
    },
    /// Remove a provider. Its users stay signed in, and cannot sign in again.
    Remove {
        /// The provider's issuer or ID (idp_…).
        #[arg(value_name = "ISSUER|ID")]
        provider: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Fetch the providers' keys and report the result. Fails if a provider cannot be used.
    Check {
        /// The issuer or ID (idp_…) of one provider. All of them if omitted.
        #[arg(value_name = "ISSUER|ID")]
        provider: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Args)]
pub(crate) struct ProviderAdd {
    /// Use the known settings of this provider.
    #[arg(long)]
    pub(crate) preset: Option<Preset>,
    /// How tokens are checked: with published keys, with a shared secret, or by introspection.
    #[arg(long, required_unless_present = "preset", value_parser = kinds())]
    pub(crate) kind: Option<ProviderKind>,
    /// The issuer, exactly as tokens name it in `iss`.
    #[arg(long, required_unless_present = "preset")]
    pub(crate) issuer: Option<String>,
    /// The accepted audience (`aud`): a client ID or API identifier. Repeat the option for several.
    #[arg(long, num_args = 1..)]
    pub(crate) audience: Vec<String>,
    /// The accepted authorized party (`azp`). One of the audiences if omitted.
    #[arg(long = "azp", num_args = 1.., value_name = "PARTY")]
    pub(crate) authorized_parties: Vec<String>,
    /// The URL of the key set. Discovered from the issuer if omitted.
    #[arg(long, value_name = "URL")]
    pub(crate) jwks_url: Option<String>,
    /// The accepted signature algorithms. All of these if omitted.
    #[arg(long = "algorithm", num_args = 1.., value_parser = algorithms())]
    pub(crate) algorithms: Vec<Algorithm>,
    /// Whether a token must contain `email_verified: true`, or the issuer only issues verified addresses.
    #[arg(long, value_parser = words_on_email(), value_name = "RULE")]
    pub(crate) email_verified: Option<EmailVerified>,
    /// The file with the secret of kind `jwt_secret`; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// The introspection endpoint of kind `introspection`.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// The client ID at that endpoint.
    #[arg(long)]
    pub(crate) client_id: Option<String>,
    /// The file with the client secret; `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "secret_file")]
    pub(crate) client_secret_file: Option<String>,
    /// oidc: our client ID for sign-ins to the customer portal
    #[arg(long, value_name = "ID")]
    pub(crate) portal_client_id: Option<String>,
    /// oidc: a file with our client secret for --portal-client-id
    #[arg(long, value_name = "FILE")]
    pub(crate) portal_client_secret_file: Option<PathBuf>,
    /// Allow a provider in a private network or on this machine.
    #[arg(long)]
    pub(crate) allow_private_addresses: bool,
    /// Allow requests to the provider over plain HTTP.
    #[arg(long)]
    pub(crate) allow_http: bool,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Subcommand)]
pub(crate) enum Identity {
    /// Print a token of the `local` provider, for sign-up and sign-in during development.
    ///
    /// A server accepts it while it listens on a loopback address, or with `local_provider = true` in its configuration.
    /// The token is valid for an hour, for this address and organization. It is signed with the store's master key.
    Token {
        /// The e-mail address, which counts as verified.
        #[arg(long)]
        email: String,
        /// The user's ID at the provider. Derived from the address if omitted.
        #[arg(long)]
        subject: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
}

fn kinds() -> impl TypedValueParser<Value = ProviderKind> {
    let words = PossibleValuesParser::new(ProviderKind::ALL.map(ProviderKind::as_str));
    words.map(|word| ProviderKind::parse(&word).expect("only a kind's own word is let through"))
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let names = PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name));
    names.map(|name| Algorithm::parse(&name).expect("only an algorithm's own name is let through"))
}

fn words_on_email() -> impl TypedValueParser<Value = EmailVerified> {
    let words = PossibleValuesParser::new(EmailVerified::ALL.map(EmailVerified::as_str));
    words.map(|word| EmailVerified::parse(&word).expect("only a rule's own word is let through"))
}
