"""What is seen: renders the stores as JSON for the page's scripts, and passes intents on."""
