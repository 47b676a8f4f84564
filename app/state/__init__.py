"""Who is told: publish/subscribe, settings, and the stores that the page renders."""
