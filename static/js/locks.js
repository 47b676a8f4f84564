// Web Locks for Python: a lock is an object with ready (a promise of true or false) and release().

export const available = () => Boolean(globalThis.navigator?.locks?.request);

export function request(name, wait) {
  const controller = new AbortController();
  let let_go = null;
  let over = false;
  const ready = new Promise((resolve) => {
    const options = wait ? { signal: controller.signal } : { ifAvailable: true };
    navigator.locks
      .request(name, options, (lock) => {
        resolve(Boolean(lock));
        if (lock && !over) return new Promise((done) => (let_go = done));
      })
      .catch(() => resolve(false)); // given up while waiting, or the page may not lock
  });
  return {
    ready,
    release() {
      over = true;
      if (let_go) let_go();
      else controller.abort();
    },
  };
}

// The names that any tab holds now, as JSON.
export async function held() {
  const { held: locks } = await navigator.locks.query();
  return JSON.stringify((locks ?? []).map(({ name }) => name));
}
