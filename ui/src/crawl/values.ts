/** Settings as a form holds them: each by its name with dots, each as text. */
import type { Field, Settings, SettingValue } from '../api/types';

export type Values = Record<string, string>;

/** The value at `limits.max-pages`. */
export function valueAt(settings: Settings, name: string): SettingValue | undefined {
  let at: SettingValue | undefined = settings;
  for (const part of name.split('.')) {
    if (at === null || typeof at !== 'object' || Array.isArray(at)) return undefined;
    at = at[part];
  }
  return at;
}

/** A value as it stands in its box. */
export function textOf(value: SettingValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

export function valuesOf(settings: Settings, fields: Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(valueAt(settings, field.name))]));
}

/** What differs from the defaults, as the server takes it. Numbers that are none are left to it to refuse. */
export function changed(values: Values, defaults: Settings, fields: Field[]): Settings {
  const settings: Settings = {};
  for (const field of fields) {
    const text = (values[field.name] ?? '').trim();
    if (text === textOf(valueAt(defaults, field.name)).trim()) continue;
    put(settings, field.name, read(text, field));
  }
  return settings;
}

function read(text: string, field: Field): SettingValue {
  switch (field.type) {
    case 'switch':
      return text === '' ? null : text === 'true';
    case 'list':
      return text.split(/[\n,]/).map((part) => part.trim()).filter(Boolean);
    case 'url-list':
      return text.split(/\s+/).filter(Boolean).map(webAddress);
    case 'number':
      return text === '' ? null : Number.isFinite(Number(text)) ? Number(text) : text;
    default:
      return text === '' ? null : text;
  }
}

/** People leave out `https://`. */
function webAddress(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

function put(settings: Settings, name: string, value: SettingValue) {
  const parts = name.split('.');
  const last = parts.pop() ?? name;
  let at = settings;
  for (const part of parts) at = (at[part] ??= {}) as Settings;
  at[last] = value;
}

/** What can be said wrong of a value before the server is asked. */
export function check(text: string, field: Field): string | null {
  const said = text.trim();
  if (!said) return null;
  if (field.type === 'number') {
    const number = Number(said);
    if (!Number.isFinite(number)) return `“${said}” is not a number.`;
    if (field.min != null && number < field.min) return `At least ${field.min}.`;
    if (field.max != null && number > field.max) return `At most ${field.max}.`;
  }
  if (field.type === 'duration' && said !== '0' && !/^(\d+(\.\d+)?\s*(ms|s|m|h|d)\s*)+$/i.test(said)) {
    return 'Write it like 200ms, 30s, 15m, 2h or 1h30m.';
  }
  if (field.type === 'bytes' && !/^\d+(\.\d+)?\s*([kmgt]i?b|b)?$/i.test(said)) return 'Write it like 64KiB, 10MB or 2GB.';
  if (field.type === 'url-list') {
    const wrong = said.split(/\s+/).find((url) => !URL.canParse(webAddress(url)) || !/^https?:/i.test(webAddress(url)));
    if (wrong) return `“${wrong}” is not an address of the web.`;
  }
  return null;
}
