"""What every belief must satisfy, as tests that anyone can call."""
