/** What a question found, page by page, kept for the way back. */
import { get, isAbort, type Query } from '../api/client';
import type { Answer, Hit, Page } from '../api/types';

type Result = Hit | Page;

class Found {
  items = $state.raw<Result[]>([]);
  total = $state(0);
  atLeast = $state(false);
  milliseconds = $state<number | null>(null);
  place = $state.raw<{ name: string } | null>(null);
  loading = $state(false);
  done = $state(false);
  error = $state.raw<Error | null>(null);
  #next: string | null = null;

  constructor(private readonly query: Query) {}

  async more(): Promise<void> {
    if (this.loading || this.done) return;
    this.loading = true;
    this.error = null;
    try {
      const got = await get<Answer<Result>>('/search', { ...this.query, cursor: this.#next, limit: 100 });
      const known = new Set(this.items.map((item) => item.id));
      this.items = [...this.items, ...got.results.filter((item) => !known.has(item.id))];
      this.total = got.total;
      this.atLeast = got.total_is_at_least ?? false;
      this.milliseconds ??= got.milliseconds;
      this.place = got.asked?.place ?? null;
      this.#next = got.next;
      this.done = !got.next;
    } catch (error) {
      if (!isAbort(error)) this.error = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.loading = false;
    }
  }
}

const KEPT = 6;
const kept = new Map<string, Found>();

export function found(query: Query): Found {
  const key = JSON.stringify(query);
  const known = kept.get(key);
  if (known) return known;
  const fresh = new Found(query);
  kept.set(key, fresh);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return fresh;
}
