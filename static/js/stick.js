// Keeps a scroller at its bottom, but only while the reader has it there.
// Scrolling up by hand lets go at once; "Jump to latest" takes hold again.

export class Stick {
  constructor(scroller, jump) {
    this.scroller = scroller;
    this.jump = jump;
    this.held = true;
    this.still = true; // no messages: what stands there instead is read from its top
    this.top = 0;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    scroller.addEventListener("wheel", (event) => event.deltaY < 0 && this.release(), { passive: true });
    jump.addEventListener("click", () => {
      this.toBottom();
      document.getElementById("message").focus({ preventScroll: true });
    });
    // Whatever changes the height: words, pictures, unfolded reasoning, a growing message box. The
    // observer is called between layout and paint, so that this costs no layout and no frame.
    const watcher = new ResizeObserver(() => this.#settle());
    watcher.observe(scroller);
    watcher.observe(scroller.firstElementChild);
  }

  get #room() {
    const { scrollHeight, clientHeight, scrollTop } = this.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  #scrolled() {
    if (this.still) return;
    const { scrollTop } = this.scroller;
    const room = this.#room;
    if (room < 24) this.held = true;
    else if (scrollTop < this.top - 2) this.held = false;
    this.top = scrollTop;
    this.jump.hidden = this.held || room < 120;
  }

  /** Lets go of the bottom (the reader wants to look at something). */
  release() {
    if (this.#room > 0 || this.scroller.scrollTop > 0) this.held = false;
  }

  /** After a change of heights: stays at the bottom if it was there. */
  #settle() {
    if (this.still) return;
    if (this.held) this.scroller.scrollTop = this.scroller.scrollHeight;
    else this.jump.hidden = this.#room < 120;
  }

  toBottom() {
    this.held = true;
    this.scroller.scrollTop = this.still ? 0 : this.scroller.scrollHeight;
    this.jump.hidden = true;
  }
}
