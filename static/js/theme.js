// Classic script, before the first paint: the theme that was chosen, so that nothing flashes.
// Reads the settings only; the settings themselves are written by Python.
(() => {
  "use strict";
  const choose = (theme) => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  window.pleatTheme = choose;
  try {
    const stored = JSON.parse(localStorage.getItem(`${window.pleatStoragePrefix ?? "pleat."}settings`) || "null");
    choose(stored && stored.theme);
  } catch {
    // No storage or unreadable: the system's own scheme holds.
  }
})();
