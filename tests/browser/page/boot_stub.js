// Stands in for boot.js in the page's own tests: a session without Python, driven by the test.
// window.stub keeps the intents that were asked and lets a test publish any topic.

const topics = {
  settings: {
    endpoints: [
      { id: "in-page", name: "In this page", base_url: "", kind: "in-page" },
      { id: "e1", name: "llama.cpp", base_url: "http://localhost:8080/v1", kind: "openai" },
    ],
    chat_endpoint: "e1", chat_model: "qwen3-8b", utility: "same", utility_endpoint: "", utility_model: "",
    context_size: 4096, max_answer_tokens: 1024, temperature: null, system_prompt: "You are a helpful assistant.",
    preset: "pleat", theme: "system", send_key: "enter", has_key: { e1: true },
    memory_fields: [
      { name: "summary_limit", label: "Longest summary", value: 800, least: 50, most: 800 },
      { name: "recall_tokens", label: "Recalled passages", value: 300, least: 0, most: 2000 },
      { name: "window_conversations", label: "Turns kept word for word", value: 2, least: 1, most: 50 },
    ],
  },
  storage: { saved: true, text: "" },
  conversations: { items: [], query: "", undo: null },
  thread: { conversation_id: "c1", title: "", messages: [], boundary_id: null, folded_count: 0 },
  stream: { message_id: null, text: "", reasoning: "" },
  busy: { state: "idle", conversation_id: null, can_skip: false, done: 0, total: 0 },
  memory: {
    context: 4096, budget: 3072,
    account: { system: 12, summary: 0, recall: 0, pins: 0, window: 0, question: 0, overhead: 7, total: 19, answer: 1024 },
    exact: true, factor: 1, coverage: { word_for_word: 0, summarised: 0, excluded: 0, unsendable: 0, unaccounted: 0 },
    summary: { text: "", tokens: 0, limit: 800, fold_id: null, boundary_id: null, stale: false }, folds: [],
    can_fold: false, why_not: "There is nothing to fold yet.", preset: "pleat", usage: {}, notice: "",
  },
  models: { endpoint_id: "", items: [], state: "idle", error: "" },
  local_model: {
    state: "absent", name: "SmolLM2-135M-Instruct", bytes: 98362432, loaded: 0, total: 0, error: "",
    from_file: false, bundled: "SmolLM2-135M-Instruct",
  },
  importing: { state: "idle", done: 0, total: 0 },
  notices: [],
};

const answers = { draft: "", update_settings: {}, request_view: { messages: [], states: [] }, set_key: "" };

const stub = {
  asked: [],
  answers,
  topics,
  publish(name, value) {
    topics[name] = value;
    window.pleatPage.render(name, JSON.stringify(value));
  },
  patch(name, values) {
    stub.publish(name, { ...topics[name], ...values });
  },
  start() {
    for (const name of Object.keys(topics)) stub.publish(name, topics[name]);
    document.getElementById("boot").hidden = true;
    window.pleatPage.connect(async (text) => {
      const { intent, args } = JSON.parse(text);
      stub.asked.push([intent, ...args]);
      const answer = answers[intent];
      try {
        const result = typeof answer === "function" ? await answer(...args) : answer ?? null;
        return JSON.stringify({ ok: true, result });
      } catch (error) {
        return JSON.stringify({ ok: false, error: error.message });
      }
    });
  },
};
window.stub = stub;
