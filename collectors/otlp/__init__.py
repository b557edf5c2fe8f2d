"""The receiving side of the OpenTelemetry protocol: bytes in, plain records and events out."""
