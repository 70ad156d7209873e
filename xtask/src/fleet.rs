//! `cargo xtask fleet`: three servers behind a proxy and a pooler. It is one of torture's scenarios.

use crate::arguments::Arguments;
use crate::process::Result;
use crate::torture;

pub(crate) fn options(arguments: Arguments) -> Result<torture::Options> {
    torture::Options::only(torture::FLEET, arguments)
}
