// "Delete everything on this device": chats, settings, keys, drafts and the cached model.
// Other sites of this origin keep theirs: only what carries this site's names is deleted.

import { dispatch } from "./bus.js";

const PATIENCE = 4000; // milliseconds for a database that another tab holds open

function dropDatabase(name) {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = resolve;
    setTimeout(resolve, PATIENCE); // blocked: its records are gone already
  });
}

async function dropModels() {
  if (!navigator.storage?.getDirectory) return;
  const { CacheManager } = await import("../vendor/wllama/index.min.js");
  const home = new URL(".", document.baseURI).href;
  await new CacheManager().deleteMany(({ metadata }) => metadata.originalURL.startsWith(home));
}

function dropKeys(storage) {
  const prefix = window.pleatStoragePrefix ?? "pleat.";
  for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key);
}

/** Deletes all of it and loads the page anew. Rejects with an Error when the chats are still there. */
export async function wipe() {
  await dispatch("delete_everything");
  await Promise.allSettled([dropDatabase(window.pleatDatabase ?? "pleat"), dropModels()]);
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      dropKeys(window[name]);
    } catch {
      // blocked by the browser: then it holds nothing
    }
  }
  location.reload();
}
