"""The two programs: `collector` brings data in, `analyze` gives answers."""
