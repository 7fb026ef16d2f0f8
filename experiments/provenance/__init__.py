"""Files of results, their provenance, and their MLflow records."""
