"""A table in the browser: play, watch, replay, study."""
