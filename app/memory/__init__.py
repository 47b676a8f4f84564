"""What is remembered: tokens, budget, plan, folds, recall. Pure; runs without a browser."""
