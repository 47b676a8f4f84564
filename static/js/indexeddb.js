// IndexedDB: records in, records out, as JSON text; every change is one transaction.
//
// Nothing here throws: the answer is {"ok": value} or {"error": "quota" | "unavailable", "detail"}.
// The rules of apply() stand once more in app/state/memory_store.py; tests/support/store_rules.py runs over both.
import { openDB } from "../vendor/idb/index.js";

const VERSION = 1;
const PATIENCE = 8000; // milliseconds for opening: some browsers never answer
const OWNED = ["messages", "folds", "usage"]; // stores whose records belong to a conversation
const STORES = ["conversations", ...OWNED, "aside"];

let opening = null;

function open() {
  opening ??= connect(globalThis.pleatDatabase ?? "pleat").catch((error) => {
    opening = null; // the next call tries again
    throw error;
  });
  return opening;
}

async function connect(name) {
  if (!globalThis.indexedDB) throw new DOMException("no IndexedDB", "InvalidStateError");
  let refuse;
  const blocked = new Promise((_, reject) => (refuse = reject));
  blocked.catch(() => {});
  setTimeout(() => refuse(new DOMException("it does not open", "TimeoutError")), PATIENCE);
  const db = await Promise.race([
    openDB(name, VERSION, {
      upgrade(db) {
        for (const store of STORES) {
          if (db.objectStoreNames.contains(store)) continue;
          const made = db.createObjectStore(store, { keyPath: "id" });
          if (OWNED.includes(store)) made.createIndex("conversation_id", "conversation_id");
        }
      },
      blocked: () => refuse(new DOMException("another tab holds an older version", "InvalidStateError")),
      blocking: (_current, _next, event) => {
        opening = null; // another tab wants a newer version, or to delete: let go
        event.target.close();
      },
      terminated: () => (opening = null),
    }),
    blocked,
  ]);
  return db;
}

const full = (error) => error?.name === "QuotaExceededError" || error?.inner?.name === "QuotaExceededError";

async function answer(work) {
  try {
    return JSON.stringify({ ok: (await work(await open())) ?? null });
  } catch (error) {
    if (error?.name === "InvalidStateError") opening = null; // closed under us: open anew next time
    const detail = `${error?.name ?? "Error"}: ${error?.message ?? error}`;
    return JSON.stringify({ error: full(error) ? "quota" : "unavailable", detail });
  }
}

// Do `work` in one transaction; whatever goes wrong, nothing of it is written.
async function together(db, stores, work) {
  const tx = db.transaction(stores, "readwrite");
  tx.done.catch(() => {}); // awaited below, but never unhandled
  let value;
  try {
    value = await work((store) => tx.objectStore(store));
  } catch (error) {
    try {
      tx.abort();
    } catch {
      // it has ended by itself
    }
    throw tx.error ?? error;
  }
  await tx.done;
  return value;
}

export const all = (store) => answer((db) => db.getAll(store));
export const of = (store, id) => answer((db) => db.getAllFromIndex(store, "conversation_id", id));
export const get = (store, id) => answer((db) => db.get(store, id));

export const apply = (text) =>
  answer((db) => {
    const change = JSON.parse(text);
    const puts = Object.entries(change.put);
    const stores = ["conversations", ...puts.map(([store]) => store)];
    return together(db, [...new Set(stores)], (at) => applied(change, puts, at));
  });

async function applied(change, puts, at) {
  let record = await at("conversations").get(change.conversation_id);
  if (!record) {
    if (!change.create) return { outcome: "gone", record: null };
    record = change.create;
  } else if ((record.deleted_at ?? null) !== null && (!change.revive || record.purged)) {
    return { outcome: "gone", record };
  }
  for (const [key, value] of Object.entries(change.expect)) {
    if (record[key] !== value) return { outcome: "conflict", record };
  }
  Object.assign(record, change.patch);
  for (const counter of change.bump) record[counter] = (Number(record[counter]) || 0) + 1;
  const written = [at("conversations").put(record)];
  for (const [store, records] of puts) {
    for (const each of records) written.push(putUnlessFinished(at(store), each));
  }
  await Promise.all(written);
  return { outcome: "ok", record };
}

async function putUnlessFinished(store, record) {
  if (record.status === "streaming") {
    const old = await store.get(record.id);
    if (old && old.status !== "streaming") return;
  }
  await store.put(record);
}

export const setAside = (store, text, at) =>
  answer((db) => {
    const record = JSON.parse(text);
    return together(db, [store, "aside"], async (open) => {
      await open("aside").put({ id: `${store}/${record.id}/${at}`, store, record });
      if (record.id !== undefined) await open(store).delete(record.id);
    });
  });

export const purge = (text) =>
  answer((db) =>
    together(db, ["conversations", ...OWNED], async (at) => {
      for (const id of JSON.parse(text)) {
        const record = await at("conversations").get(id);
        if (!record || (record.deleted_at ?? null) === null) continue;
        for (const store of OWNED) {
          const keys = await at(store).index("conversation_id").getAllKeys(id);
          await Promise.all(keys.map((key) => at(store).delete(key)));
        }
        await at("conversations").put({ id, deleted_at: record.deleted_at, purged: true });
      }
    }),
  );

export const forget = (text) =>
  answer((db) =>
    together(db, ["conversations"], async (at) => {
      for (const id of JSON.parse(text)) {
        const record = await at("conversations").get(id);
        if (record?.purged) await at("conversations").delete(id);
      }
    }),
  );
