"""How strong are the simple players?"""
