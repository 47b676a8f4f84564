// The first script of the page: narrows where the page may connect to.
//
// index.html's policy allows any http(s) address, because an endpoint can be anywhere. This adds a
// second policy (both must agree) with this site and the origins of the endpoints in the settings,
// in localStorage under "pleat.settings" (storage_names.js may have put the site's path into it):
//   {"endpoints": [{"base_url": "http://localhost:11434/v1"}, …]}
// A policy cannot be widened while the page lives: an endpoint that is entered later is reached
// after a reload. window.pleatMayConnect(url) tells whether this page can reach it already.
(() => {
  "use strict";
  const prefix = window.pleatStoragePrefix ?? "pleat."; // set by storage_names.js
  const origins = new Set();
  try {
    const settings = JSON.parse(localStorage.getItem(`${prefix}settings`) ?? "{}");
    for (const endpoint of Array.isArray(settings?.endpoints) ? settings.endpoints : []) {
      try {
        const url = new URL(endpoint.base_url);
        if (url.protocol === "https:" || url.protocol === "http:") origins.add(url.origin);
      } catch {
        // a base URL that is none: the settings page says so, here it allows nothing
      }
    }
  } catch {
    // storage forbidden or corrupt: the page itself is all that can be reached
  }
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = ["connect-src", "'self'", "blob:", ...origins].join(" ");
  document.head.append(policy);

  Object.defineProperty(window, "pleatMayConnect", {
    value: (address) => {
      try {
        const { origin } = new URL(address, location.href);
        return origin === location.origin || origins.has(origin);
      } catch {
        return false;
      }
    },
  });
})();
