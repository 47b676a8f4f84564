// The first classic script: under which names this page stores.
//
// All pages of one origin share its storage (user.github.io/a and user.github.io/b do), so names
// carry the site's path: "pleat." at the root of an origin and on this machine, else
// "pleat@/path/.". csp.js reads window.pleatStoragePrefix + "settings"; Python uses both.
(() => {
  "use strict";
  const folder = new URL(".", location.href).pathname;
  const here = /^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(location.hostname);
  const plain = folder === "/" || here;
  window.pleatStoragePrefix = plain ? "pleat." : `pleat@${folder}.`;
  window.pleatDatabase = plain ? "pleat" : `pleat@${folder}`;
})();
