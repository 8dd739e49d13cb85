/** What a form does with a refusal: each complaint at its field, the rest at the end. */
import { Problem, sentence } from '../api/client';

export interface Refusal {
  fields: Record<string, string>;
  rest: string;
}

/** Field names may come with the part they stand in, as `settings.seeds`. */
export function refusal(error: unknown, known: string[]): Refusal {
  if (!(error instanceof Problem) || !error.fields.length) return { fields: {}, rest: sentence(error) };
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const { field, detail } of error.fields) {
    const name = field.replace(/^(crawl\.)?settings\./, '').replace(/\.\d+$/, '').replace(/\[\d+\]$/, '');
    if (known.includes(name)) fields[name] = detail;
    else rest.push(field ? `${field}: ${detail}` : detail);
  }
  return { fields, rest: rest.join(' ') };
}

/** The first field that is wrong gets the keyboard. */
export function showFirstWrong() {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
