"""How good is each belief beside the exact one?"""
