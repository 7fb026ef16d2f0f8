"""Which player is better?"""
