/** Requests to the server. Every error is a `Problem` whose message is a sentence for people. */
import { connection } from '../state/connection.svelte';

export interface FieldProblem {
  field: string;
  detail: string;
}

export class Problem extends Error {
  readonly fields: FieldProblem[];

  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    fields: FieldProblem[] = [],
  ) {
    super(detail);
    this.name = 'Problem';
    this.fields = fields;
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

const ROOT = '/api/v1';

/** The address of something below the API, with a query of what is set. */
export function address(path: string, query: Query = {}): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') set.set(name, String(value));
  }
  const asked = set.toString();
  const whole = path.startsWith('/api/') ? path : ROOT + path;
  return asked ? `${whole}?${asked}` : whole;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await send('GET', address(path, query), undefined, signal)) as T;
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return (await send('POST', address(path), body)) as T;
}

/** Sends a file as a form does. */
export async function upload<T>(path: string, query: Query, file: File): Promise<T> {
  const form = new FormData();
  form.set('file', file);
  return (await send('POST', address(path, query), form)) as T;
}

export async function patch<T>(path: string, body: unknown): Promise<T> {
  return (await send('PATCH', address(path), body)) as T;
}

export async function put<T>(path: string, body: unknown): Promise<T> {
  return (await send('PUT', address(path), body)) as T;
}

export async function remove(path: string): Promise<void> {
  await send('DELETE', address(path));
}

async function send(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
  const headers: Record<string, string> = { Accept: 'application/json, application/problem+json' };
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers['Content-Type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : form ? body : JSON.stringify(body),
      signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.lose();
    throw new Problem(0, 'No connection', 'The server does not answer. This goes on by itself when it is back.');
  }
  if (response.ok) return response.status === 204 ? null : await response.json();
  if (response.status >= 502 && response.status <= 504) connection.lose();
  throw await problemOf(response);
}

/** What an answer that is not a success says. */
export async function problemOf(response: Response): Promise<Problem> {
  const said = (await response.json().catch(() => null)) as Partial<{
    title: string;
    detail: string;
    field: string;
    fields: FieldProblem[];
  }> | null;
  const title = said?.title ?? response.statusText;
  const detail = said?.detail ?? (title || `The server answered ${response.status}.`);
  const fields = said?.fields ?? (said?.field ? [{ field: said.field, detail }] : []);
  return new Problem(response.status, title, detail, fields);
}

/** The sentence of any error. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
