/** Something that is asked for whenever what it depends on changes, with the older request given up. */
import { isAbort } from '../api/client';
import { connection } from './connection.svelte';

export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly loading: boolean;
  reload(): void;
  set(data: T): void;
}

/** `load` reads the state it depends on before its first `await`; it returns nothing when there is nothing to ask. */
export function resource<T>(load: (signal: AbortSignal) => Promise<T> | undefined): Resource<T> {
  let data = $state.raw<T>();
  let error = $state.raw<Error>();
  let loading = $state(true);
  let asked = $state(0);

  $effect(() => {
    void asked;
    void connection.returns;
    const giveUp = new AbortController();
    const answer = load(giveUp.signal);
    if (!answer) {
      loading = false;
      return;
    }
    loading = true;
    answer.then(
      (got) => {
        if (giveUp.signal.aborted) return;
        data = got;
        error = undefined;
        loading = false;
      },
      (wrong: unknown) => {
        if (giveUp.signal.aborted || isAbort(wrong)) return;
        error = wrong instanceof Error ? wrong : new Error(String(wrong));
        loading = false;
      },
    );
    return () => giveUp.abort();
  });

  return {
    get data() {
      return data;
    },
    get error() {
      return error;
    },
    get loading() {
      return loading;
    },
    reload() {
      asked += 1;
    },
    set(changed: T) {
      data = changed;
    },
  };
}
