// Whether this browser has kept a model that came from this site, without loading what runs it.
// @wllama/wllama keeps a file in the origin's private file system, as cache/<sha1 of its address>_<name>.

const FOLDER = "cache";

async function keptName(url) {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(url));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex}_${url.split("/").pop()}`;
}

/** True when the whole file is here; false when not, or when that cannot be known. */
export async function isKept(path, bytes) {
  try {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER);
    const file = await folder.getFileHandle(await keptName(new URL(path, document.baseURI).href));
    return (await file.getFile()).size === bytes;
  } catch {
    return false; // never fetched, or this browser keeps no files
  }
}
