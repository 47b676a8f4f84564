// The model file that the person has picked, for Python: a File cannot go through JSON.

let file = null;

/** Keeps a File; the page forgets it with its reload. */
export function pick(given) {
  file = given;
}

export const picked = () => file;
