"""What does a planner lose in positions with exact values?"""
