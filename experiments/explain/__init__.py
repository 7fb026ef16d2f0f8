"""Why this move?"""
