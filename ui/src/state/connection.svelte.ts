/** Whether the server answers. While it does not, its health is asked for until it does. */
const EVERY = 2000;

class Connection {
  lost = $state(false);
  /** Grows each time the server comes back, so that what failed meanwhile is asked for again. */
  returns = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;

  lose() {
    if (this.lost) return;
    this.lost = true;
    this.#ask();
  }

  found() {
    if (!this.lost) return;
    clearTimeout(this.#timer);
    this.lost = false;
    this.returns += 1;
  }

  /** Looks now and then whether the server is still there, even when nothing is asked of it. */
  watch() {
    setInterval(() => {
      if (document.visibilityState === 'visible') this.suspect();
    }, 5000);
    window.addEventListener('offline', () => this.lose());
  }

  /** Something broke that may be the server: it is asked once. */
  suspect() {
    if (!this.lost) fetch('/api/v1/health', { cache: 'no-store' }).catch(() => this.lose());
  }

  #ask() {
    this.#timer = setTimeout(async () => {
      const answer = await fetch('/api/v1/health', { cache: 'no-store' }).catch(() => null);
      if (answer?.ok) this.found();
      else this.#ask();
    }, EVERY);
  }
}

export const connection = new Connection();
