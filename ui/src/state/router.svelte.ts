/** Where the page is: a path and a query. The browser's history is the only memory of it. */
import { tick } from 'svelte';

class Router {
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));
  /** The path and query as one, to compare and to keep. */
  here = $derived(this.query.size ? `${this.path}?${this.query}` : this.path);

  start() {
    history.scrollRestoration = 'manual';
    if (!history.state?.key) history.replaceState({ key: newKey() }, '');
    addEventListener('popstate', () => this.#came());
    addEventListener('pagehide', () => remember());
    document.addEventListener('click', (event) => this.#clicked(event));
    void restore();
  }

  go(to: string, { replace = false } = {}) {
    const url = new URL(to, location.href);
    const samePath = url.pathname === this.path;
    if (replace) {
      history.replaceState({ ...history.state }, '', url);
    } else {
      remember();
      history.pushState({ key: newKey() }, '', url);
    }
    this.#read();
    if (!samePath && !replace) {
      void tick().then(() => {
        scrollTo(0, 0);
        focusContent();
      });
    }
  }

  /** Where one is when some of the query is set and the rest left; empty values go. */
  with(changes: Record<string, string | null | undefined>): string {
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const asked = readable(query);
    return asked ? `${this.path}?${asked}` : this.path;
  }

  /** Goes there. */
  ask(changes: Record<string, string | null | undefined>, how: { replace?: boolean } = {}) {
    const asked = this.with(changes);
    if (asked !== this.with({})) this.go(asked, how);
  }

  async #came() {
    const before = this.path;
    this.#read();
    await tick();
    if (before !== this.path) focusContent();
    await restore();
  }

  #read() {
    if (this.path !== location.pathname) this.path = location.pathname;
    if (String(this.query) !== location.search.slice(1)) this.query = new URLSearchParams(location.search);
  }

  #clicked(event: MouseEvent) {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname.startsWith('/api/')) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    this.go(link.href);
  }
}

/** A query as people would write it: commas and slashes are safe there. */
export function readable(query: URLSearchParams): string {
  return query.toString().replaceAll('%2C', ',').replaceAll('%2F', '/').replaceAll('%3A', ':');
}

function newKey(): string {
  return Math.random().toString(36).slice(2);
}

const scrolls = new Map<string, number>();

function remember() {
  if (history.state?.key) scrolls.set(history.state.key, scrollY);
}

/** Scrolls to where this entry of the history was, as soon as the page is long enough again. */
async function restore() {
  const to = scrolls.get(history.state?.key) ?? 0;
  for (let frame = 0; frame < 30; frame += 1) {
    scrollTo(0, to);
    if (Math.abs(scrollY - to) < 2) return;
    await new Promise(requestAnimationFrame);
  }
}

function focusContent() {
  document.getElementById('content')?.focus({ preventScroll: true });
}

export const router = new Router();
