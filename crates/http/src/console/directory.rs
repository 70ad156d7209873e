//! The files of the console from a directory, for its development. Release builds do not contain this file.
//!
//! **Invariant:** only files that `SHA256SUMS` of the directory lists are read.

use super::{Page, media_type};
use crate::reply::{Content, Reply};
use http::StatusCode;
use std::fs;
use std::path::Path;

pub(super) fn read(directory: &Path, wanted: Option<&str>) -> Option<Reply> {
    let sums = fs::read_to_string(directory.join("SHA256SUMS")).ok()?;
    let page = Page::new(&fs::read_to_string(directory.join("index.html")).ok()?, sums.as_bytes());
    let Some(wanted) = wanted else { return Some(Reply::new(StatusCode::OK, Content::Html, page.html)) };
    let (build, name) = wanted.split_once('/')?;
    let is_listed = sums.lines().filter_map(|line| line.split_once("  ")).any(|(_, known)| known == name);
    if build != page.build || !is_listed {
        return None;
    }
    let content = Content::Asset { media_type: media_type(name)?, is_compressed: false };
    Some(Reply::new(StatusCode::OK, content, fs::read(directory.join(name)).ok()?))
}
