"""Who answers: the ChatModel port, roles, the OpenAI-compatible adapter, typed errors, usage."""
