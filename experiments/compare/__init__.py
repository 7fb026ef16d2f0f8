"""The main job: players compared on the same games."""
