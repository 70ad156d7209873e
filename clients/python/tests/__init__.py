"""The runtime against a server that answers what a test tells it to."""
