"""Which setting is best?"""
