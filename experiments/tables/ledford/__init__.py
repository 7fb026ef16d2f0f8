"""The tables of [Ledford 2018]: what was published, our matches, and the causes of differences."""
