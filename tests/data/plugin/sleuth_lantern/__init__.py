"""An example of a package that adds to Sleuth by entry points."""
