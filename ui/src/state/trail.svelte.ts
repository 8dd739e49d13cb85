/** The list an item was opened from, so that its neighbours can be reached from the item itself. */
interface Kept {
  from: string;
  ids: string[];
}

const KEY = 'bowerbird-trail';

class Trail {
  from = $state('/gallery');
  ids = $state.raw<string[]>([]);

  constructor() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
      if (kept) {
        this.from = kept.from;
        this.ids = kept.ids;
      }
    } catch {
      // What cannot be read is as good as nothing.
    }
  }

  lay(from: string, ids: string[]) {
    this.from = from;
    this.ids = ids;
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ from, ids: ids.slice(0, 2000) }));
    } catch {
      // Without storage the trail lasts as long as the page.
    }
  }

  /** The one before and the one after. */
  around(id: string): { before: string | null; after: string | null; at: number } {
    const at = this.ids.indexOf(id);
    if (at < 0) return { before: null, after: null, at };
    return { before: this.ids[at - 1] ?? null, after: this.ids[at + 1] ?? null, at };
  }

  drop(id: string) {
    this.lay(
      this.from,
      this.ids.filter((other) => other !== id),
    );
  }
}

export const trail = new Trail();
