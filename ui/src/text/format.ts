/** Numbers, sizes, times and places in words. */
import type { Card, Location } from '../api/types';

const whole = new Intl.NumberFormat('en');
const tenth = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? '–' : whole.format(n);
}

/** 950, 12.3k, 4.5M: where there is little room. */
export function brief(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1e6) return `${tenth.format(n < 1e4 ? n / 1e3 : Math.round(n / 1e3))}k`;
  return `${tenth.format(n / 1e6)}M`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function percent(part: number, of: number): string {
  if (!of) return '–';
  const share = (100 * part) / of;
  return `${share.toFixed(share > 0 && share < 10 ? 2 : 1)} %`;
}

export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = n;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : Number(size.toPrecision(3))} ${units[unit]}`;
}

/** 1:05 or 1:02:03, for films and sounds. */
export function playtime(seconds: number): string {
  const all = Math.round(seconds);
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, '0') : String(part))).join(':');
}

/** 45 s, 12 min, 3 h 20 min. */
export function lasting(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 10) return `${tenth.format(seconds)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.round((seconds % 3600) / 60);
  return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
}

export function metres(m: number | null | undefined): string {
  if (m === null || m === undefined) return '–';
  if (m < 1000) return `${Math.round(m)} m`;
  return `${tenth.format(m < 10_000 ? m / 1000 : Math.round(m / 1000))} km`;
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

export function date(text: string | null | undefined): string {
  return written(text, day);
}

export function time(text: string | null | undefined): string {
  return written(text, moment);
}

export function monthOf(text: string | null | undefined): string {
  return written(text, month);
}

function written(text: string | null | undefined, how: Intl.DateTimeFormat): string {
  if (!text) return '–';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : how.format(at);
}

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "5 minutes ago", "in 3 hours". */
export function relative(text: string | null | undefined, now = Date.now()): string {
  if (!text) return '–';
  const seconds = (new Date(text).getTime() - now) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ];
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return ago.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'now' : ago.format(Math.round(seconds), 'second');
}

const names = new Intl.DisplayNames('en', { type: 'region' });

export function country(code: string | null | undefined): string | null {
  if (!code) return null;
  try {
    return names.of(code.toUpperCase()) ?? code;
  } catch {
    return code;
  }
}

export function coordinates(lat: number, lon: number, digits = 5): string {
  return `${lat.toFixed(digits)}, ${lon.toFixed(digits)}`;
}

/** A place with its country, which the name of the place may have already. */
export function withCountry(place: string | null, code: string | null): string {
  const land = country(code);
  if (!place) return land ?? '';
  return !land || place === land || place.endsWith(`, ${land}`) ? place : `${place}, ${land}`;
}

/** Where something is, in the fewest words that say it. */
export function whereabouts(location: Location | null): string | null {
  if (!location) return null;
  const named = [location.town ?? location.place, country(location.country)].filter(Boolean);
  return named.length ? named.join(', ') : coordinates(location.lat, location.lon, 3);
}

/** A name is a line, not a page. */
const LONGEST = 90;

/** What a picture is called: its title, what it shows, or where it is from. */
export function nameOf(card: Pick<Card, 'title' | 'description' | 'kind' | 'location' | 'host'>): string {
  const said = card.title?.trim() || card.description?.trim();
  if (said) return said.length > LONGEST ? `${said.slice(0, LONGEST).replace(/\s+\S*$/, '')} …` : said;
  const what = { image: 'Picture', video: 'Film', audio: 'Sound' }[card.kind];
  const where = whereabouts(card.location);
  return where ? `${what} in ${where}` : card.host ? `${what} from ${card.host}` : `${what} without a title`;
}

/** The host of an address, or the address itself when it has none. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** An address that may be linked to: nothing but the web is. */
export function webAddress(url: string | null | undefined): string | null {
  if (!url) return null;
  try {
    const { protocol } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}
