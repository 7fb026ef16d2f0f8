"""What every policy and player must satisfy, as tests that anyone can call."""
