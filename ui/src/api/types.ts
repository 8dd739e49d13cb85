/**
 * What the server sends and takes, as far as the page uses it. `schema.d.ts` is made from `docs/openapi.json` by
 * `npm run types`; here its shapes get the names the page uses, and are told more exactly where the description is loose.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

/** The server writes every field; what is not known is null. */
type Whole<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

/** South, west, north, east; west may be greater than east across the date line. */
export type Box = [number, number, number, number];
export type Kind = 'image' | 'video' | 'audio';

export type Session = Whole<Schemas['Session']>;
export type Address = Whole<Schemas['AddressParts']>;
/** Height and direction are there only when they are known. */
export type Location = Omit<Whole<Schemas['Location']>, 'altitude' | 'direction' | 'address'> & {
  address: Address | null;
  altitude?: number | null;
  direction?: number | null;
};
export type Card = Omit<Whole<Schemas['Card']>, 'kind' | 'location'> & { kind: Kind; location: Location | null };

export interface Sighting {
  image: string;
  page: string | null;
  page_title: string | null;
  description: string;
  licence: string | null;
  author: string | null;
  gone: string | null;
}

type ItemOnly = Omit<Whole<Schemas['Item']>, keyof Card | 'found' | 'other_locations'>;
export type Item = Card & ItemOnly & { found: Sighting[]; other_locations: Location[] };

export type Copy = Card & { why: string; detail: string };
export interface CopyGroup {
  kept: Card;
  copies: Copy[];
  total: number;
}
/** Copies of an item, and what they know that it does not. */
export interface Copies {
  group: CopyGroup | null;
  locations: { from: string; location: Location }[];
  texts: Whole<Schemas['OfferedText']>[];
}

/** What of a result matches words: where they stand, in code points, and why it has its score. */
interface Found {
  marks?: { title: number[][]; description: number[][] };
  why?: string;
}

export type SpokenPlace = Whole<Schemas['SpokenPlace']>;
export type Page = Omit<Whole<Schemas['PageHit']>, 'kind' | 'location' | 'places' | 'marks' | 'why'> & Found & {
  kind: 'page';
  location: Location | null;
  places: SpokenPlace[];
};
export type Hit = Card & Pick<Whole<Schemas['FoundMedia']>, 'score' | 'distance_m' | 'matched'> & Found & { similarity?: number | null; why?: string | null };

export interface Listed<T> {
  items: T[];
  next: string | null;
  total?: number | null;
  total_is_at_least?: boolean;
}

export type Answer<T> = Omit<Whole<Schemas['Answer']>, 'results'> & { results: T[] };

export interface Cluster {
  lat: number;
  lon: number;
  count: number;
  box: Box;
  id: string;
  kind: Kind | 'page';
}

export interface Clusters {
  clusters: Cluster[];
  total: number;
  total_is_at_least: boolean;
}

export type Label = Whole<Schemas['Label']>;
export type Place = Omit<Whole<Schemas['Suggestion']>, 'box'> & { box: Box | null };

export type CrawlState = Schemas['CrawlState'];
export type Progress = Whole<Schemas['Tally']> & {
  state: CrawlState;
  queued: number;
  in_flight?: number;
  pages_per_second: number;
};
export type Crawl = Whole<Schemas['CrawlEntry']>;

export interface Step {
  count: number;
  seconds: number;
}

export type Run = Omit<Whole<Schemas['RunShape']>, 'steps'> & { steps: Record<string, Step> | null };
export type Harvest = Omit<Whole<Schemas['HarvestShape']>, 'curve'> & { curve: [number, number][] };
export type CrawlDetail = Omit<Whole<Schemas['CrawlDetail']>, 'settings' | 'runs' | 'harvest'> & {
  settings: Settings;
  runs: Run[];
  harvest: Harvest | null;
};
/** What each part of a crawl did. */
export type Units = Whole<Schemas['UnitsShape']>;
export type Mishap = Whole<Schemas['MishapShape']>;
export type ChangeSeen = Whole<Schemas['ChangeShape']>;

/** Settings of a crawl: kebab-case keys, nested. */
export type Settings = { [name: string]: SettingValue };
export type SettingValue = string | number | boolean | null | SettingValue[] | { [name: string]: SettingValue };

export type FieldType =
  | 'number'
  | 'text'
  | 'list'
  | 'duration'
  | 'bytes'
  | 'switch'
  | 'choice'
  | 'url-list'
  | 'region';

export interface Field {
  name: string;
  title: string;
  help: string;
  unit?: string | null;
  type: FieldType;
  choices?: (string | { value: string; title: string })[] | null;
  min?: number | null;
  max?: number | null;
  group: string;
}

export interface CrawlDefaults {
  settings: Settings;
  fields: Field[];
}

export interface ScheduledRun {
  due: string;
  started: string | null;
  ended: string | null;
  outcome: 'done' | 'failed' | 'skipped' | 'put-off' | 'died' | 'running' | 'missed';
  detail: string | null;
  pages: number | null;
  images: number | null;
}

export interface Schedule {
  id: string | number;
  name: string;
  cron: string;
  cron_in_words: string;
  zone: string;
  enabled: boolean;
  catch_up: 'skip' | 'once';
  crawl: { name: string; settings?: Settings };
  next: string[];
  last: ScheduledRun | null;
}

export interface Worker {
  number: number;
  what: string;
  started: string;
  seen: string;
  lease_until: string;
  visits: number;
  rate: number;
  hosts: number;
  crawls: string[];
  own: boolean;
}

export interface Workers {
  shared: boolean;
  items: Worker[];
  would_pay: number | null;
}

export interface Statistics {
  links: { discovered: number; visited: number };
  pages: number;
  images: {
    total: number;
    with_location_in_metadata: number;
    without: number;
    wrong_coordinates: number;
    located_by_text: number;
    average_width: number | null;
    average_height: number | null;
  };
  media: Record<string, number>;
  hosts: { host: string; pages: number; images: number; geotagged: number }[];
  tlds: { tld: string; images_with_location_in_metadata: number }[];
  harvest: { relevant: number; rate: number | null; bridge: number[]; tail: number[]; seed_distance: number[] };
  units: Units;
  runs: { name: string; started: string; ended: string | null; seconds: number; pages: number }[];
  kept?: { images: number; videos: number; audio: number };
  results?: Record<string, number>;
  by_country?: { country: string; images: number }[];
  by_month?: { month: string; images: number }[];
  steps?: { name: string; started: string; pages?: number; peak_memory?: number | null; steps: Record<string, Step> }[];
  disk?: { library: number; media: number; free: number };
  memory?: number | null;
}

/** A search of the web for pictures, as long as the server remembers it. */
export interface Find {
  id: string;
  query: string;
  /** What was understood; words between asterisks. */
  said: string;
  notes: string[];
  created: string;
  progress: FindProgress;
}

export interface FindSource {
  name: string;
  state: 'asked' | 'answered' | 'failed';
  pages: number;
  detail: string | null;
}

export interface FindProgress {
  state: 'running' | 'finished';
  elapsed: number;
  seconds: number;
  stopped: string | null;
  error: string | null;
  pages: number;
  relevant: number;
  images: { seen: number; probed: number; markup: number; selected: number; refused: Record<string, number> };
  results: number;
  queued: number;
  in_flight: number;
  bytes: number;
  errors: Record<string, number>;
  sources: FindSource[];
}

export interface FindResult {
  id: number;
  rank: number;
  score: number;
  image: string;
  page: string;
  width: number | null;
  height: number | null;
  format: string | null;
  description: string;
  title: string;
  thumbnail: string;
  /** The item it became. */
  kept: string | null;
}

/** What came since: new pictures, and the whole order as it is now. */
export interface FindResults {
  total: number;
  new: FindResult[];
  order: [number, number][];
}

export interface Keeping {
  kept: { id: number; item: string }[];
  failed: { id: number; detail: string }[];
}

export type MapSettings = Schemas['MapSettings'];

export type SourceKind = 'index' | 'wikimedia' | 'searxng' | 'opensearch' | 'brave' | 'urls';

/** A source of start pages. A key that is set is never shown: `set` stands for it. */
export interface FindSourceSettings {
  kind: SourceKind;
  url?: string;
  key?: string;
  name?: string;
  timeout?: string;
}

export interface FindSettings {
  time: string;
  delay: string;
  timeout: string;
  concurrency: number;
  sources: FindSourceSettings[];
}

export interface ServerSettings {
  crawl: Settings;
  map: MapSettings;
  find: FindSettings;
}

export type Blocked = Whole<Schemas['BlockedShape']>;
export type Forgotten = Whole<Schemas['Forgotten']>;
export type Part = Schemas['Part'];
export type About = Schemas['About'];
