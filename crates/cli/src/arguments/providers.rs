//! `perennial provider` and `perennial identity`. A secret is never a flag's value, which every process list shows.

use super::InOrg;
use crate::providers::Preset;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use perennial_app::providers::{Algorithm, EmailVerified, ProviderKind};

#[derive(Subcommand)]
pub(crate) enum Provider {
    /// Add an identity provider; running servers use it within 5 seconds.
    Add(Box<ProviderAdd>),
    /// List an organization's providers: those of the configuration file and those in the store.
    List {
        #[command(flatten)]
        org: InOrg,
    },
    /// Remove a provider; its people stay signed in, and cannot sign in again.
    Remove {
        /// The provider's issuer or its id (idp_…).
        #[arg(value_name = "ISSUER|ID")]
        provider: String,
        #[command(flatten)]
        org: InOrg,
    },
    /// Fetch the providers' keys and say what was seen; fails if any provider cannot be used.
    Check {
        /// One provider's issuer or id (idp_…); all of them unless given.
        #[arg(value_name = "ISSUER|ID")]
        provider: Option<String>,
        #[command(flatten)]
        org: InOrg,
    },
}

#[derive(Args)]
pub(crate) struct ProviderAdd {
    /// Fill in what is the same for everyone at this provider.
    #[arg(long)]
    pub(crate) preset: Option<Preset>,
    /// How tokens are checked: with published keys, with a shared secret, or by asking the provider.
    #[arg(long, required_unless_present = "preset", value_parser = kinds())]
    pub(crate) kind: Option<ProviderKind>,
    /// The provider, exactly as its tokens' `iss` says it.
    #[arg(long, required_unless_present = "preset")]
    pub(crate) issuer: Option<String>,
    /// Whom tokens must be made for: the client id or API identifier in `aud`. Give it several times for several.
    #[arg(long, num_args = 1..)]
    pub(crate) audience: Vec<String>,
    /// Who may have asked for the token (`azp`); one of the audiences unless given.
    #[arg(long = "azp", num_args = 1.., value_name = "PARTY")]
    pub(crate) authorized_parties: Vec<String>,
    /// Where the keys are; discovered from the issuer unless given.
    #[arg(long, value_name = "URL")]
    pub(crate) jwks_url: Option<String>,
    /// What tokens may be signed with; all of these unless given.
    #[arg(long = "algorithm", num_args = 1.., value_parser = algorithms())]
    pub(crate) algorithms: Vec<Algorithm>,
    /// Whether a token must say `email_verified: true`, or the issuer puts only verified addresses into tokens.
    #[arg(long, value_parser = words_on_email(), value_name = "RULE")]
    pub(crate) email_verified: Option<EmailVerified>,
    /// The file with the secret of kind `jwt_secret`; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// Where kind `introspection` asks about tokens.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// Who we are at that endpoint.
    #[arg(long)]
    pub(crate) client_id: Option<String>,
    /// The file with our secret there; `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "secret_file")]
    pub(crate) client_secret_file: Option<String>,
    /// Let the provider be in a private network or on this machine.
    #[arg(long)]
    pub(crate) allow_private_addresses: bool,
    /// Let the provider be asked over plain http.
    #[arg(long)]
    pub(crate) allow_http: bool,
    #[command(flatten)]
    pub(crate) org: InOrg,
}

#[derive(Subcommand)]
pub(crate) enum Identity {
    /// Print a token of the `local` provider, to sign up and in with while developing.
    ///
    /// A server accepts it while it listens on a loopback address, or with `local_provider = true` in its configuration.
    /// The token is good for an hour, for this address and organization. It is made with the store's master key.
    Token {
        /// Whose token: the e-mail address, which counts as verified.
        #[arg(long)]
        email: String,
        /// The person's id at the provider; derived from the address unless given, and always the same.
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
