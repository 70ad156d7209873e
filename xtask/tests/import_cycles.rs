//! No cycle of imports inside any crate: files depend on each other in one direction, as the crates do.
//!
//! An import is a path that begins with `crate` or `super`. A module that names its own children does not import them.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// The path of a module inside its crate; the root is empty.
type Module = Vec<String>;

#[test]
fn no_crate_has_a_cycle_of_imports() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut sources: Vec<PathBuf> = ["bench", "fuzz", "torture", "xtask"].iter().map(|name| root.join(name)).collect();
    sources.extend(std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()));
    let mut cycles = Vec::new();
    for package in sources {
        for cycle in cycles_of(&imports_of(&package.join("src"))) {
            let files: Vec<String> = cycle.iter().map(|module| module.join("/")).collect();
            cycles.push(format!("{}: {}", package.strip_prefix(root).unwrap().display(), files.join(" ")));
        }
    }
    assert!(cycles.is_empty(), "these files import each other:\n{}", cycles.join("\n"));
}

#[test]
fn a_cycle_is_found_and_a_chain_is_none() {
    let files = |sources: &[(&str, &str)]| -> BTreeMap<Module, String> {
        sources.iter().map(|(path, text)| (module_of(Path::new(path)), (*text).to_owned())).collect()
    };
    let chain = files(&[
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "use crate::b::{c::C, B}; mod tests { use super::*; }"),
        ("b.rs", "pub mod c; pub struct B;"),
        ("b/c.rs", "pub struct C;"),
    ]);
    assert_eq!(cycles_of(&imports(&chain)), Vec::<Vec<Module>>::new());
    let mut cycle = chain;
    cycle.insert(module_of(Path::new("b/c.rs")), "pub fn c() { super::super::a::a() }".to_owned());
    cycle.insert(module_of(Path::new("b.rs")), "use crate::b::c::C;".to_owned());
    let found = cycles_of(&imports(&cycle));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].iter().map(|module| module.join("/")).collect::<Vec<_>>(), ["a", "b", "b/c"]);
}

fn imports_of(source: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut files = BTreeMap::new();
    let mut directories = vec![source.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let module = module_of(path.strip_prefix(source).unwrap());
                files.insert(module, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    // Tests may look at everything.
    files.retain(|module, _| module.last().is_none_or(|name| name != "tests"));
    imports(&files)
}

fn module_of(file: &Path) -> Module {
    let path = file.with_extension("");
    let names: Module = path.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    if names == ["lib"] || names == ["main"] { Vec::new() } else { names }
}

fn imports(files: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let known: BTreeSet<&Module> = files.keys().collect();
    let of = |module: &Module, text: &String| {
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(text).unwrap());
        let targets = paths.0.iter().filter_map(|path| target(module, path, &known));
        targets.filter(|target| target != module).collect()
    };
    files.iter().map(|(module, text)| (module.clone(), of(module, text))).collect()
}

/// The file that a path leads to: the longest part of it that is a module. The root belongs to no cycle.
fn target(module: &Module, path: &[String], known: &BTreeSet<&Module>) -> Option<Module> {
    let (mut at, mut rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "super" => (module.clone(), path),
        _ => return None,
    };
    while let Some(("super", after)) = rest.split_first().map(|(name, after)| (name.as_str(), after)) {
        at.pop()?;
        rest = after;
    }
    at.extend(rest.iter().cloned());
    while !at.is_empty() && !known.contains(&at) {
        at.pop();
    }
    Some(at).filter(|at| !at.is_empty())
}

/// Every path of a file, outside its inline modules.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn add(&mut self, prefix: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.0.push(with(&name.ident)),
            UseTree::Rename(rename) => self.0.push(with(&rename.ident)),
            UseTree::Glob(_) => self.0.push(prefix.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.add(prefix, item)),
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item(&mut self, item: &'a Item) {
        match item {
            Item::Use(item) => self.add(&[], &item.tree),
            Item::Mod(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The groups of files that can all reach each other.
fn cycles_of(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reachable: BTreeMap<&Module, BTreeSet<&Module>> =
        imports.keys().map(|module| (module, reach(module, imports))).collect();
    let mut cycles: Vec<Vec<Module>> = Vec::new();
    for (module, reached) in &reachable {
        let group: Vec<Module> =
            reached.iter().filter(|other| reachable[*other].contains(module)).map(|other| (*other).clone()).collect();
        if !group.is_empty() && !cycles.contains(&group) {
            cycles.push(group);
        }
    }
    cycles
}

fn reach<'a>(from: &'a Module, imports: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        open.extend(imports.get(module).into_iter().flatten().filter(|next| reached.insert(*next)));
    }
    reached
}
