// The kinds of server that people run, with the address each has by default and the setting each
// needs before a web page may talk to it.

export const KINDS = [
  {
    id: "ollama",
    name: "Ollama",
    url: "http://localhost:11434/v1",
    key: false,
    hint: () =>
      `Start it with OLLAMA_ORIGINS=${location.origin} so that it lets this page in. Start it with OLLAMA_CONTEXT_LENGTH as large as the context size below, too: it cuts longer prompts without a word.`,
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    url: "http://localhost:1234/v1",
    key: false,
    hint: () => "In Developer, Server settings, switch on “Enable CORS”, then start the server.",
  },
  {
    id: "llamacpp",
    name: "llama.cpp",
    url: "http://localhost:8080/v1",
    key: false,
    hint: () => "llama-server lets web pages in without a setting. Its context size is what -c says.",
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    url: "https://openrouter.ai/api/v1",
    key: true,
    hint: () => "Needs a key (openrouter.ai, Keys). No further setting.",
  },
  {
    id: "openai",
    name: "OpenAI",
    url: "https://api.openai.com/v1",
    key: true,
    hint: () => "Needs a key (platform.openai.com, API keys). No further setting.",
  },
  {
    id: "other",
    name: "Another server",
    url: "",
    key: false,
    hint: () =>
      `Any server with /models and /chat/completions. It must allow the origin ${location.origin} (CORS) and the headers Content-Type and Authorization.`,
  },
];

/** The kind of a saved endpoint: by its usual name, which is kept with whatever address it has,
    else by its usual address, else by a name that holds the usual one; "other" when none. */
export const kindOf = ({ name, base_url: url }) => {
  const usual = KINDS.filter((kind) => kind.url);
  return (
    usual.find((kind) => kind.name === name) ??
    usual.find((kind) => url?.startsWith(kind.url)) ??
    usual.find((kind) => name?.toLowerCase().includes(kind.name.toLowerCase())) ??
    KINDS.at(-1)
  );
};

export const isLocal = (url) => {
  try {
    const { hostname } = new URL(url);
    return /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1)|\.local$/.test(hostname);
  } catch {
    return false;
  }
};
