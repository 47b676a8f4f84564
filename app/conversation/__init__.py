"""What was said: messages, the conversation tree, turns; import and export formats."""
