"""What every domain and search must satisfy, as tests that anyone can call."""
