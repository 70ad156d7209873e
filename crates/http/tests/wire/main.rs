//! Contract §1 through HTTP: the wire, each rule a test. The engine is that of the run: see `perennial-testkit`.
