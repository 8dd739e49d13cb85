/** The filters that the map, the search, the gallery and the exports share, as they stand in the address. */
import type { Query } from '../api/client';

export const FILTERS = [
  'q',
  'place',
  'near',
  'within',
  'kind',
  'since',
  'until',
  'host',
  'crawl',
  'located',
  'verified',
  'licence',
] as const;

export type Filter = (typeof FILTERS)[number];

/** What the server is asked, from what stands in the address. */
export function filtersOf(query: URLSearchParams): Query {
  const asked: Query = {};
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value) asked[name] = value;
  }
  return asked;
}

const WORDS: Record<string, Record<string, string>> = {
  kind: { image: 'Pictures', video: 'Films', audio: 'Sounds' },
  located: { true: 'With a place', false: 'Without a place' },
  verified: { true: 'Confirmed by a person', false: 'Not confirmed' },
  licence: { open: 'Open licence', any: 'Any licence' },
};

/** A filter in words, for the chip that removes it. */
export function inWords(name: Filter, value: string): string {
  const known = WORDS[name];
  if (known) {
    return value
      .split(',')
      .map((one) => known[one] ?? one)
      .join(', ');
  }
  switch (name) {
    case 'since':
      return `from ${value}`;
    case 'until':
      return `until ${value}`;
    case 'host':
      return `on ${value}`;
    case 'crawl':
      return `crawl ${value}`;
    case 'place':
      return `in ${value}`;
    case 'near':
      return `near ${value}`;
    case 'within':
      return `within ${value}`;
    default:
      return `“${value}”`;
  }
}
