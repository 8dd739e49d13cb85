/** A search of the web for pictures: what has arrived, in which order it is shown, what is kept. */
import { get, isAbort, post, sentence } from '../api/client';
import { listen } from '../api/live';
import type { Find, FindProgress, FindResult, FindResults, Keeping, Listed } from '../api/types';
import { forgetListings } from '../state/listing.svelte';
import { notes } from '../state/notes.svelte';
import { plural } from '../text/format';
import { arranged, waiting } from './order';

/** Pictures that are kept with one request: each takes a moment. */
const AT_ONCE = 20;
/** Pictures asked for at a time beyond those that are told as they come. */
const PAGE = 100;

export class Collecting {
  find = $state.raw<Find | null>(null);
  progress = $state.raw<FindProgress | null>(null);
  error = $state.raw<Error | null>(null);
  total = $state(0);
  /** Numbers of pictures as they are shown. */
  shown = $state.raw<number[]>([]);
  /** Pictures that are being kept, and why one could not be. */
  busy = $state.raw(new Set<number>());
  failed = $state.raw(new Map<number, string>());
  /** Better pictures that wait for a place above. */
  behind = $state(0);
  loading = $state(false);

  #known = $state.raw(new Map<number, FindResult>());
  #ranked: number[] = [];
  /** Those beyond what is told as it comes, in the order they were asked for. */
  #further: number[] = [];
  #cursor: string | null = null;
  #done = false;
  /** How many of the first pictures stay where they are. */
  #fixed = 0;

  constructor(readonly id: string) {}

  get path(): string {
    return `/finds/${this.id}`;
  }

  get running(): boolean {
    return this.progress?.state === 'running';
  }

  get results(): FindResult[] {
    return this.shown.flatMap((id) => this.#known.get(id) ?? []);
  }

  /** Asks how it is and listens; the returned function ends that. */
  follow(): () => void {
    let over = false;
    let ended: (() => void) | undefined;
    const load = async () => {
      try {
        const find = await get<Find>(this.path);
        if (over) return;
        this.find = find;
        this.progress = find.progress;
        this.error = null;
        // One that is finished and known says nothing new.
        if (find.progress.state === 'finished' && this.#known.size >= Math.min(find.progress.results, 1)) return;
        ended = listen(`${this.path}/events`, {
          progress: ((progress: FindProgress) => (this.progress = progress)) as never,
          results: ((results: FindResults) => this.#heard(results)) as never,
          end: (() => {
            ended?.();
            void this.#refresh();
          }) as never,
        });
      } catch (error) {
        if (!over && !isAbort(error)) this.error = error instanceof Error ? error : new Error(String(error));
      }
    };
    void load();
    return () => {
      over = true;
      ended?.();
    };
  }

  async #refresh() {
    const find = await get<Find>(this.path).catch(() => null);
    if (!find) return;
    this.find = find;
    this.progress = find.progress;
  }

  #heard({ total, new: fresh, order }: FindResults) {
    const known = new Map(this.#known);
    for (const result of fresh) known.set(result.id, { ...result, kept: result.kept ?? known.get(result.id)?.kept ?? null });
    order.forEach(([id, score], at) => {
      const result = known.get(id);
      if (result && (result.score !== score || result.rank !== at + 1)) known.set(id, { ...result, score, rank: at + 1 });
    });
    this.#known = known;
    this.total = total;
    this.#ranked = order.map(([id]) => id).filter((id) => known.has(id));
    this.#arrange();
  }

  #arrange() {
    const first = new Set(this.#ranked);
    const ranked = [...this.#ranked, ...this.#further.filter((id) => !first.has(id))];
    this.behind = waiting(this.shown, ranked, this.#fixed);
    const shown = arranged(this.shown, ranked, this.#fixed);
    if (shown.length !== this.shown.length || shown.some((id, at) => id !== this.shown[at])) this.shown = shown;
  }

  /** The first so many pictures are looked at: they stay where they are. 0 lets all stand as they are ranked. */
  hold(fixed: number) {
    if (fixed === this.#fixed) return;
    this.#fixed = fixed;
    this.#arrange();
  }

  /** All stand as they are ranked, once. */
  sort() {
    const fixed = this.#fixed;
    this.#fixed = 0;
    this.#arrange();
    this.#fixed = fixed;
  }

  /** Asks for pictures beyond those that are told as they come. */
  async more(): Promise<void> {
    // While it runs, ranks change faster than one can scroll.
    if (this.loading || this.#done || this.running || !this.progress || this.shown.length >= this.total) return;
    this.loading = true;
    try {
      const got = await get<Listed<FindResult>>(`${this.path}/results`, { cursor: this.#cursor, limit: PAGE });
      const known = new Map(this.#known);
      for (const result of got.items) known.set(result.id, { ...result, kept: result.kept ?? known.get(result.id)?.kept ?? null });
      this.#known = known;
      this.#further = [...this.#further, ...got.items.map((result) => result.id)];
      this.#cursor = got.next;
      this.#done = got.next === null;
      this.total = got.total ?? this.total;
      this.#arrange();
    } catch (error) {
      if (!isAbort(error)) notes.warn(sentence(error));
    } finally {
      this.loading = false;
    }
    // The first pages are of what is there already.
    if (!this.#done && this.shown.length < this.total && this.#further.every((id) => this.#ranked.includes(id))) await this.more();
  }

  async stop() {
    try {
      const find = await post<Find>(`${this.path}/stop`);
      this.find = find;
      this.progress = find.progress;
    } catch (error) {
      notes.warn(sentence(error));
    }
  }

  /** Takes pictures into the library. */
  async keep(ids: number[]) {
    const wanted = ids.filter((id) => !this.busy.has(id) && this.#known.get(id) && !this.#known.get(id)?.kept);
    if (!wanted.length) return;
    this.busy = new Set([...this.busy, ...wanted]);
    let kept = 0;
    let lost = 0;
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE);
      try {
        const done = await post<Keeping>(`${this.path}/keep`, { images: some });
        kept += done.kept.length;
        lost += done.failed.length;
        this.#became(done);
      } catch (error) {
        notes.warn(sentence(error));
        this.busy = new Set([...this.busy].filter((id) => !wanted.includes(id)));
        break;
      } finally {
        this.busy = new Set([...this.busy].filter((id) => !some.includes(id)));
      }
    }
    if (kept) {
      forgetListings();
      notes.say(`${plural(kept, 'picture')} kept`);
    }
    if (lost) notes.warn(`${plural(lost, 'picture')} could not be kept`);
  }

  #became({ kept, failed }: Keeping) {
    const known = new Map(this.#known);
    for (const { id, item } of kept) {
      const result = known.get(id);
      if (result) known.set(id, { ...result, kept: item });
    }
    this.#known = known;
    const wrong = new Map(this.failed);
    kept.forEach(({ id }) => wrong.delete(id));
    failed.forEach(({ id, detail }) => wrong.set(id, detail));
    this.failed = wrong;
  }
}

const REMEMBERED = 8;
const remembered = new Map<string, Collecting>();

/** The one with this id, with all that was seen of it: the way back leads to where one was. */
export function collecting(id: string): Collecting {
  const known = remembered.get(id);
  if (known) return known;
  const fresh = new Collecting(id);
  remembered.set(id, fresh);
  const oldest = remembered.keys().next().value;
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return fresh;
}
