// Classic, before anything else: what PyScript cannot start without, where a browser has it not.
//
// PyScript keeps a cache of Python packages in an IndexedDB of its own ("IDBMap/…") and opens a
// BroadcastChannel, and does not start where either fails (private mode, storage blocked). Pleat
// uses no package: that cache is always this empty one. Pleat's own database is not touched.
(() => {
  "use strict";
  const answer = (result) => {
    const request = {};
    queueMicrotask(() => request.onsuccess?.({ target: { result } }));
    return request;
  };
  const store = {
    count: () => answer(0),
    getAllKeys: () => answer([]),
    getAll: () => answer([]),
    get: () => answer(undefined),
    getKey: () => answer(undefined),
    put: () => answer(undefined),
    delete: () => answer(undefined),
    clear: () => answer(undefined),
  };
  const empty = () => answer({ transaction: () => ({ objectStore: () => store }), close() {} });
  const packages = (name) => String(name).startsWith("IDBMap/");

  let database = null;
  try {
    database = window.indexedDB;
  } catch {
    // blocked by the browser's settings
  }
  if (database && typeof IDBFactory === "function") {
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (name, ...rest) {
      return packages(name) ? empty() : open.call(this, name, ...rest);
    };
  } else {
    const none = {
      open(name) {
        if (packages(name)) return empty();
        throw new DOMException("This browser has no IndexedDB for the page.", "InvalidStateError");
      },
    };
    Object.defineProperty(window, "indexedDB", { value: none, configurable: true });
  }

  window.BroadcastChannel ??= class extends EventTarget {
    postMessage() {}
    close() {}
  };
})();
