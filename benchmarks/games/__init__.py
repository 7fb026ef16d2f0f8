"""Compiled games of two, to be searched beside OpenSpiel's own."""
