use super::*;
use std::collections::BTreeSet;

fn returned() -> Vec<&'static Schema> {
    let mut schemas: Vec<_> = operations::all().iter().filter_map(|operation| operation.response.schema()).collect();
    schemas.extend(schemas.clone().into_iter().flat_map(|schema| schema.refers_to.iter().copied()));
    schemas
}

/// The example is what the code serializes, so this holds the schema to what is returned.
#[test]
fn every_schema_has_the_fields_that_are_returned_in_their_order() {
    for schema in returned() {
        let (definition, example) = ((schema.definition)(), (schema.example)());
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&definition["properties"]), names(&example), "{}", schema.name);
    }
}

#[test]
fn a_schema_has_one_name_and_a_name_one_schema() {
    let names: BTreeSet<_> = returned().iter().map(|schema| schema.name).collect();
    let schemas: BTreeSet<_> = returned().iter().map(|schema| std::ptr::from_ref(*schema)).collect();
    assert_eq!(names.len(), schemas.len());
}

#[test]
fn every_example_of_a_body_is_valid() {
    for operation in operations::all() {
        let Some(body) = &operation.body else { continue };
        let example = (body.example)().to_string();
        let read = crate::call::Body::parse(example.into(), 32).unwrap();
        let errors = read.errors(body.fields);
        assert!(errors.is_empty(), "{}: {errors:?}", operation.id);
    }
}
