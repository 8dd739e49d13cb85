/** What the server sends and takes, as far as the page uses it. */

export type Kind = 'image' | 'video' | 'audio';
export type Role = 'admin' | 'reader' | 'none';

export interface Session {
  role: Role;
  login_needed: boolean;
  version: string;
}

export interface Address {
  street: string | null;
  number: string | null;
  postcode: string | null;
  city: string | null;
  country: string | null;
}

export interface Location {
  lat: number;
  lon: number;
  altitude?: number | null;
  direction?: number | null;
  address: Address | null;
  place: string | null;
  town: string | null;
  admin1: string | null;
  country: string | null;
  source: string;
  precision_m: number | null;
  confidence: number;
  evidence: string | null;
  verified: boolean;
}

export interface Card {
  id: string;
  kind: Kind;
  format: string;
  width: number | null;
  height: number | null;
  duration: number | null;
  colour: string | null;
  title: string | null;
  description: string | null;
  taken: string | null;
  added: string;
  host: string | null;
  page: string | null;
  location: Location | null;
  thumbnail: string | null;
  file: string;
  copies: number;
}

export interface Sighting {
  image: string;
  page: string | null;
  page_title: string | null;
  description: string | null;
  licence: string | null;
  author: string | null;
}

export interface Item extends Card {
  size: number;
  orientation: number | null;
  make: string | null;
  model: string | null;
  author: string | null;
  licence: string | null;
  keywords: string[];
  own_title: string | null;
  own_description: string | null;
  edited: { title: string | null; description: string | null } | null;
  place_names: Record<string, string | null>;
  other_locations: Location[];
  wrong_location: string | null;
  found: Sighting[];
  /** How many addresses hold it. */
  addresses: number;
  path: string | null;
}

export interface SpokenPlace {
  kind: string;
  text: string;
  place: string | null;
  town: string | null;
  country: string | null;
  lat: number;
  lon: number;
  precision_m: number;
  confidence: number;
  mentions: number;
  relevant: boolean;
  why: string;
}

export interface Page {
  id: string;
  kind: 'page';
  page: string;
  title: string;
  description: string;
  language: string | null;
  relevant: boolean;
  score?: number | null;
  distance_m?: number | null;
  location: Location | null;
  places: SpokenPlace[];
}

export interface Listed<T> {
  items: T[];
  next: string | null;
  total?: number | null;
  total_is_at_least?: boolean;
}

/** South, west, north, east; west may be greater than east across the date line. */
export type Box = [number, number, number, number];

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

export interface Label {
  name: string;
  lat: number;
  lon: number;
  kind: 'country' | 'town';
  rank: number;
}

export type Hit = Card & { score: number | null; distance_m?: number | null; matched?: string[] };

export interface Answer<T> {
  total: number;
  total_is_at_least: boolean;
  results: T[];
  next: string | null;
  milliseconds: number;
  asked: { words: string[] | string | null; place: { name: string; lat: number; lon: number; box: Box | null } | null };
}

export interface Place {
  id: number;
  name: string;
  kind: string;
  admin1: string | null;
  country: string | null;
  lat: number;
  lon: number;
  population: number | null;
  box: Box | null;
}

export type CrawlState = 'running' | 'stopping' | 'paused' | 'interrupted' | 'finished' | 'failed';

export interface Progress {
  state: CrawlState;
  pages: number;
  images: { seen: number; kept: number };
  geotagged: number;
  located: number;
  relevant: number;
  queued: number;
  in_flight?: number;
  seconds: number;
  pages_per_second: number;
  bytes: number;
}

export interface Crawl extends Progress {
  name: string;
  strategy: string;
  region: string | null;
  created: string;
  started: string | null;
  ended: string | null;
  stopped: string | null;
  error?: string | null;
  harvest_rate: number | null;
  runs: number;
}

export interface Step {
  count: number;
  seconds: number;
}

export interface Run {
  started: string;
  ended: string | null;
  seconds: number;
  pages: number;
  stopped: string | null;
  peak_memory: number | null;
  steps: Record<string, Step> | null;
}

export interface Harvest {
  curve: [number, number][];
  bridge: number[];
  tail: number[];
  seed_distance: number[];
}

export interface CrawlDetail extends Omit<Crawl, 'runs'> {
  settings: Settings;
  runs: Run[];
  tasks: unknown;
  errors: Record<string, number>;
  refused: Record<string, number>;
  harvest: Harvest | null;
}

export interface Mishap {
  at?: string;
  url?: string;
  what?: string;
  reason?: string;
  detail?: string;
  [more: string]: unknown;
}

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
  runs: { name: string; started: string; ended: string | null; seconds: number; pages: number }[];
  kept?: { images: number; videos: number; audio: number };
  results?: Record<string, number>;
  by_country?: { country: string; images: number }[];
  by_month?: { month: string; images: number }[];
  steps?: { name: string; started: string; pages?: number; peak_memory?: number | null; steps: Record<string, Step> }[];
  disk?: { library: number; media: number; free: number };
  memory?: number | null;
}

export interface MapSettings {
  style_url: string | null;
  pmtiles_url: string | null;
  attribution: string | null;
  hosts?: string[];
}

export interface ServerSettings {
  crawl: Settings;
  map: MapSettings;
  [more: string]: unknown;
}

export interface Blocked {
  kind: string;
  what: string;
  at: string | null;
}

export interface Forgotten {
  hosts: number;
  pages: number;
  media: number;
  files: number;
}

export interface Part {
  name: string;
  version?: string | null;
  licence: string;
  attribution?: string | null;
}

export interface About {
  version: string;
  licence?: string;
  data: Part[];
  libraries: Part[];
}
