"""Written from the OpenAPI document."""
