// What Python imports from JavaScript (pyscript.js_modules.edge): the few modules that must be it.
export { batches } from "./batches.js";
export * as indexeddb from "./indexeddb.js";
export * as in_page_model from "./in_page_model.js";
export * as locks from "./locks.js";
export * as memory_api from "./memory_api.js";
export * as picked_file from "./picked_file.js";
export * as tokenizer from "./tokenizer.js";
