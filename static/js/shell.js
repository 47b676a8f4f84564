// The page's entry: builds its parts and offers Python the two bridges as window.pleatPage.
// Everything here works before Python does; the parts fill in as topics arrive.

import * as bus from "./bus.js";
import { Composer } from "./composer.js";
import { Conversations } from "./conversations.js";
import { Files } from "./files.js";
import { Layout } from "./layout.js";
import { MemoryPanel } from "./memory_panel.js";
import { Notices } from "./notices.js";
import { SettingsDialog } from "./settings_dialog.js";
import { Thread } from "./thread.js";
import { modelBar } from "./welcome.js";

window.pleatPage = Object.freeze({ render: bus.render, connect: bus.connect });

const composer = new Composer();
const notices = new Notices();
const thread = new Thread();
const conversations = new Conversations(composer);
const layout = new Layout({ conversations, composer });
new MemoryPanel({ thread, layout });
new SettingsDialog();
new Files();
modelBar(document.getElementById("model-bar"));

window.addEventListener("pleat:failed", () => bus.publish("boot", { state: "failed" }));
window.addEventListener("pleat:error", ({ detail }) =>
  notices.say({ level: "error", text: `Something in the page went wrong: ${String(detail?.text ?? "").split("\n")[0].slice(0, 300)}` }),
);
if (document.activeElement === document.body && matchMedia("(pointer: fine)").matches) composer.box.focus();
