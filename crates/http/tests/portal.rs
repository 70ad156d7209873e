//! The customer portal: links, pages, forms, sessions and sign-in at an identity provider.

mod invoices;
mod links;
mod oidc;
mod pages;
mod plans;
mod secrets;
mod sessions;
mod support;
