/** Server-sent events that come back by themselves after a lost connection. */
import { connection } from '../state/connection.svelte';
import { address } from './client';

type Listeners = Record<string, (data: never) => void>;

/**
 * Listens until the returned function is called. The browser reconnects a broken stream itself; one
 * that was refused for good (an error answer) is opened anew after a while.
 */
export function listen(path: string, listeners: Listeners, whenOpen?: () => void): () => void {
  let source: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let ended = false;

  function open() {
    source = new EventSource(address(path));
    source.onopen = () => whenOpen?.();
    source.onerror = () => {
      if (!ended) connection.suspect();
      if (source?.readyState !== EventSource.CLOSED || ended) return;
      again = setTimeout(open, 3000);
    };
    for (const [name, listener] of Object.entries(listeners)) {
      source.addEventListener(name, (event) => {
        connection.found();
        const data = read((event as MessageEvent<string>).data);
        if (data !== undefined) (listener as (data: unknown) => void)(data);
      });
    }
  }

  open();
  return () => {
    ended = true;
    clearTimeout(again);
    source?.close();
  };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
