/** What a question found, page by page, kept for the way back. */
import { get, isAbort, post, upload, type Query } from '../api/client';
import type { Answer, Hit, Page } from '../api/types';
import { example } from './example.svelte';
import type { Target } from './targets.svelte';

type Result = Hit | Page;

class Found {
  items = $state.raw<Result[]>([]);
  total = $state(0);
  atLeast = $state(false);
  milliseconds = $state<number | null>(null);
  place = $state.raw<{ name: string } | null>(null);
  asked = $state.raw<Answer<Result>['asked'] | null>(null);
  loading = $state(false);
  done = $state(false);
  error = $state.raw<Error | null>(null);
  /** Why the order is not the first one. */
  why = $state<string | null>(null);
  #first: Result[] | null = null;
  #like: string[] = [];
  #next: string | null = null;

  constructor(private readonly query: Query) {}

  #ask(): Promise<Answer<Result>> {
    const { like, file: _, ...rest } = this.query;
    if (like === 'file' && example.file) return upload('/search/example', { ...rest, limit: 100 }, example.file);
    if (like) return get(`/media/${like}/similar`, { ...rest, limit: 100 });
    return get('/search', { ...rest, cursor: this.#next, limit: 100 });
  }

  /** Brings what is like these to the front, as far as it is here. */
  async rerank(targets: Target[]): Promise<void> {
    const here = new Map(this.items.map((item) => [item.id, item]));
    const mine = targets.filter((target) => here.has(target.id));
    const like = mine.map((target) => `${target.id} ${target.deed}`);
    if (!mine.length || like.join() === this.#like.join()) return;
    this.#like = like;
    const answers = [...here.keys()].slice(0, 500);
    const got = await post<{ order: string[]; why: string }>('/search/rerank', { answers, targets: mine }).catch(() => null);
    if (!got || this.#like !== like) return;
    this.#first ??= this.items;
    const front = got.order.flatMap((id) => here.get(id) ?? []);
    const moved = new Set(got.order);
    this.items = [...front, ...this.items.filter((item) => !moved.has(item.id))];
    this.why = got.why;
  }

  /** The first order again. */
  undo(): string[] {
    const ids = this.#like.map((like) => like.slice(0, 64));
    const known = new Set(this.#first?.map((item) => item.id));
    if (this.#first) this.items = [...this.#first, ...this.items.filter((item) => !known.has(item.id))];
    this.#first = null;
    this.#like = [];
    this.why = null;
    return ids;
  }

  async more(): Promise<void> {
    if (this.loading || this.done) return;
    this.loading = true;
    this.error = null;
    try {
      const got = await this.#ask();
      const known = new Set(this.items.map((item) => item.id));
      this.items = [...this.items, ...got.results.filter((item) => !known.has(item.id))];
      this.total = got.total;
      this.atLeast = got.total_is_at_least ?? false;
      this.milliseconds ??= got.milliseconds;
      this.place = got.asked?.place ?? null;
      this.asked ??= got.asked ?? null;
      this.#next = got.next ?? null;
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
