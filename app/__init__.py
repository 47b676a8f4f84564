"""Pleat: the chat page that never runs out of context."""
