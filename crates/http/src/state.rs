//! What all requests share: the application, the settings, and whether this server is about to stop.

use crate::options::ApiOptions;
use bytes::Bytes;
use perennial_app::context::App;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

pub(crate) struct State {
    pub(crate) app: Arc<App>,
    pub(crate) options: ApiOptions,
    /// The OpenAPI document, written when it is first requested.
    pub(crate) document: LazyLock<Bytes>,
    is_leaving: AtomicBool,
}

impl State {
    /// `document` writes the OpenAPI document. It is an argument because the document describes every operation, and
    /// the operations use the state.
    pub(crate) fn new(app: Arc<App>, options: ApiOptions, document: fn() -> Bytes) -> Self {
        Self { app, options, document: LazyLock::new(document), is_leaving: AtomicBool::new(false) }
    }

    pub(crate) fn leave(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Relaxed)
    }
}
