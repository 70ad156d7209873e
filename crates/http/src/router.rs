//! Finds the operation of a method and a path.
//!
//! The routes are a tree of path segments. A literal segment takes precedence over a parameter, and a parameter over a
//! wildcard. Finding a route allocates nothing.

use crate::operation::Operation;
use crate::path::{PathParameters, Segment, segments};
use http::Method;

/// The operations of a service, by path.
pub(crate) struct Router {
    operations: Vec<&'static Operation>,
    root: Node,
}

/// Where a request leads.
pub(crate) enum Route<'a> {
    Found(Match<'a>),
    /// The path exists and supports other methods, listed as in the header `Allow`.
    WrongMethod(String),
    NotFound,
}

/// The operation of a request.
pub(crate) struct Match<'a> {
    /// The operation's position in [`Router::operations`].
    pub(crate) number: usize,
    pub(crate) operation: &'static Operation,
    pub(crate) parameters: PathParameters<'a>,
}

/// What a path leads to after some of its segments. Operations are positions in the router's list.
#[derive(Default)]
struct Node {
    literals: Vec<(&'static str, Node)>,
    parameter: Option<Box<Node>>,
    /// The operations if the rest of the path, whatever it is, belongs to them.
    wildcard: Vec<usize>,
    /// The operations if the path ends here.
    operations: Vec<usize>,
}

impl Router {
    pub(crate) fn new(resources: &[&'static [Operation]]) -> Self {
        let operations: Vec<&'static Operation> = resources.iter().copied().flatten().collect();
        let mut root = Node::default();
        for (number, operation) in operations.iter().enumerate() {
            root.at(segments(operation.path)).push(number);
        }
        Self { operations, root }
    }

    /// Every operation, in the order of the reference.
    pub(crate) fn operations(&self) -> &[&'static Operation] {
        &self.operations
    }

    /// Finds the operation of a method and a path. HEAD leads where GET leads.
    pub(crate) fn find<'a>(&self, method: &Method, path: &'a str) -> Route<'a> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let (numbers, parameters) = self.at(path);
        match numbers.iter().find(|number| self.operations[**number].method == *method) {
            Some(&number) => Route::Found(Match { number, operation: self.operations[number], parameters }),
            None if numbers.is_empty() => Route::NotFound,
            None => Route::WrongMethod(self.methods(numbers)),
        }
    }

    /// The methods that a path supports, as the header `Allow` lists them; `None` if the path does not exist.
    pub(crate) fn allowed(&self, path: &str) -> Option<String> {
        let (numbers, _) = self.at(path);
        (!numbers.is_empty()).then(|| self.methods(numbers))
    }

    fn at<'a>(&self, path: &'a str) -> (&[usize], PathParameters<'a>) {
        let mut parameters = PathParameters::default();
        let found = path.strip_prefix('/').and_then(|rest| self.root.find(Some(rest), &mut parameters));
        (found.unwrap_or_default(), parameters)
    }

    fn methods(&self, numbers: &[usize]) -> String {
        let mut methods = Vec::new();
        for number in numbers {
            let method = &self.operations[*number].method;
            methods.push(method.as_str());
            if *method == Method::GET {
                methods.push("HEAD");
            }
        }
        methods.join(", ")
    }
}

impl Node {
    /// The operations of a template, whose nodes are added where they are missing.
    fn at(&mut self, mut template: impl Iterator<Item = Segment>) -> &mut Vec<usize> {
        match template.next() {
            None => &mut self.operations,
            Some(Segment::Literal(text)) => {
                let position = self.literals.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
                    self.literals.push((text, Self::default()));
                    self.literals.len() - 1
                });
                self.literals[position].1.at(template)
            }
            Some(Segment::Parameter(_)) => self.parameter.get_or_insert_default().at(template),
            Some(Segment::Wildcard(_)) => &mut self.wildcard,
        }
    }

    /// The operations of a path. `rest` is what follows the slash behind this node's segment, if there is one.
    fn find<'a>(&self, rest: Option<&'a str>, parameters: &mut PathParameters<'a>) -> Option<&[usize]> {
        let Some(rest) = rest else { return (!self.operations.is_empty()).then_some(&self.operations) };
        let (segment, after) = rest.split_once('/').map_or((rest, None), |(segment, after)| (segment, Some(after)));
        if let Some((_, node)) = self.literals.iter().find(|(text, _)| *text == segment)
            && let Some(found) = node.find(after, parameters)
        {
            return Some(found);
        }
        if let (Some(node), false) = (&self.parameter, segment.is_empty()) {
            parameters.push(segment);
            if let Some(found) = node.find(after, parameters) {
                return Some(found);
            }
            parameters.pop();
        }
        if self.wildcard.is_empty() || rest.is_empty() {
            return None;
        }
        parameters.push(rest);
        Some(&self.wildcard)
    }
}

#[cfg(test)]
mod tests;
