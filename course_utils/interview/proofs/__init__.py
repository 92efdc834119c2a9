"""What proves the answers of the question bank: one module for each topic, one function for each question."""
