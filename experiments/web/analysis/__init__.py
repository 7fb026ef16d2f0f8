"""Analysis of games for their viewers: notebooks, timelines, advice."""
