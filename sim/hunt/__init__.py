"""The treasure hunt: where a mobile sensor goes, and what it measures [Ferrari & Cai 2009]."""
