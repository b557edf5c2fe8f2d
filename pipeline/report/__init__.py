"""The report: `content.build` gathers it once as plain data; each rendering is one module over that data."""
