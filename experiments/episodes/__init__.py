"""Closed loops of small problems: believe, plan, act, observe; and their returns."""
