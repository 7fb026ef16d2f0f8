"""What happened in a recorded game?"""
