//! README and the pages in `docs`: their commands run, their files are accepted, their links lead somewhere, and what is
//! generated is up to date. `UPDATE_PAGES=1 cargo test --test cli docs` writes the output of commands and the generated pages.

mod blocks;
mod ci;
#[cfg(unix)]
mod commands;
mod generated;
mod links;
mod picture;
