/** A list that comes page by page and is kept for the way back. */
import { get, isAbort, type Query } from '../api/client';
import type { Listed } from '../api/types';

export class Listing<T> {
  items = $state.raw<T[]>([]);
  total = $state<number | null>(null);
  atLeast = $state(false);
  loading = $state(false);
  error = $state.raw<Error | null>(null);
  #next: string | null = null;
  #begun = $state(false);
  #done = $state(false);

  constructor(
    readonly path: string,
    readonly query: Query,
    readonly size = 100,
  ) {}

  get done(): boolean {
    return this.#done;
  }

  get empty(): boolean {
    return this.#begun && this.#done && this.items.length === 0;
  }

  async more(): Promise<void> {
    if (this.loading || this.#done) return;
    this.loading = true;
    this.error = null;
    try {
      const got = await get<Listed<T>>(this.path, { ...this.query, cursor: this.#next, limit: this.size });
      this.items = this.#begun ? [...this.items, ...got.items] : got.items;
      this.#begun = true;
      this.#next = got.next;
      this.#done = got.next === null;
      if (typeof got.total === 'number') {
        this.total = got.total;
        this.atLeast = got.total_is_at_least ?? false;
      }
    } catch (error) {
      if (!isAbort(error)) this.error = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.loading = false;
    }
  }

  /** Takes out or changes what was changed elsewhere. */
  change(keep: (items: T[]) => T[]) {
    this.items = keep(this.items);
  }
}

const KEPT = 6;
const kept = new Map<string, Listing<unknown>>();

/** The list of this path and query, with what is already there of it. */
export function listing<T>(path: string, query: Query, size?: number): Listing<T> {
  const key = JSON.stringify([path, query]);
  const known = kept.get(key) as Listing<T> | undefined;
  if (known) return known;
  const fresh = new Listing<T>(path, query, size);
  kept.set(key, fresh as Listing<unknown>);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  return fresh;
}

/** After a change to an item the lists that may show it are asked for again. */
export function forgetListings() {
  kept.clear();
}
