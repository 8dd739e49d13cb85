/** Made data for working on the page without a server. */
import { createHash } from 'node:crypto';

const TOWNS: [string, string, string, number, number][] = [
  ['Kiel', 'Schleswig-Holstein', 'DE', 54.3233, 10.1228], ['Madrid', 'Madrid', 'ES', 40.4165, -3.7026],
  ['Joensuu', 'North Karelia', 'FI', 62.6012, 29.7632], ['Kyoto', 'Kyoto', 'JP', 35.0211, 135.7538],
  ['Cusco', 'Cuzco', 'PE', -13.5226, -71.9673], ['Marrakesh', 'Marrakesh-Safi', 'MA', 31.6342, -7.9999],
  ['Bergen', 'Vestland', 'NO', 60.3929, 5.3242], ['Cape Town', 'Western Cape', 'ZA', -33.9258, 18.4232],
  ['Hobart', 'Tasmania', 'AU', -42.8794, 147.3294], ['Vancouver', 'British Columbia', 'CA', 49.2497, -123.1193],
  ['Heidelberg', 'Baden-Württemberg', 'DE', 49.4077, 8.6908], ['Porto', 'Porto', 'PT', 41.1496, -8.6109],
  ['Suva', 'Central', 'FJ', -18.1416, 178.4419], ['Jaipur', 'Rajasthan', 'IN', 26.9196, 75.7878],
];
const WORDS = ['Harbour at dusk', 'Old bridge', 'Market hall', 'View from the tower', 'Lighthouse', 'Winter street',
  'Church square', 'Ferry', '<script>alert(1)</script> gate', 'Garden', '', 'Mountain path above the clouds with a very long title that goes on'];
const HOSTS = ['photos.example.org', 'reisen.example.de', 'blog.walks.test', 'archive.example.com', 'viajes.example.es'];

let seed = 7;
export function chance(): number {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
const pick = <T>(from: T[]): T => from[Math.floor(chance() * from.length)] as T;

export function hex(h: number, s: number, l: number): string {
  const a = s * Math.min(l, 1 - l);
  const part = (n: number) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

export function makeItem(n: number): any {
  const town = pick(TOWNS);
  const id = createHash('sha256').update(String(n)).digest('hex');
  const kind = chance() < 0.9 ? 'image' : chance() < 0.5 ? 'video' : 'audio';
  const [width, height] = pick([[1600, 1067], [1067, 1600], [1200, 900], [2000, 900], [1000, 1000]]);
  const located = chance() < 0.75;
  const source = pick(['exif', 'exif', 'caption', 'page', 'iptc', 'structured', 'description']);
  const host = pick(HOSTS);
  const title = pick(WORDS) || null;
  const location = located ? {
    lat: town[3] + (chance() - 0.5) * 0.2, lon: town[4] + (chance() - 0.5) * 0.3, address: null,
    place: `${town[0]}, ${town[1]}`, town: town[0], admin1: town[1], country: town[2], source,
    precision_m: source === 'exif' ? 10 : 3000, confidence: source === 'exif' ? 0.97 : 0.3 + chance() * 0.5,
    evidence: source === 'exif' ? null : `… the old harbour of ${town[0]} in summer …`, verified: chance() < 0.1,
  } : null;
  return {
    id, kind, format: kind === 'image' ? 'jpeg' : kind === 'video' ? 'mp4' : 'mp3', width: kind === 'audio' ? null : width,
    height: kind === 'audio' ? null : height, duration: kind === 'image' ? null : 12 + chance() * 200,
    colour: hex(chance() * 360, 0.15 + chance() * 0.5, 0.3 + chance() * 0.4), title, description: chance() < 0.6 ? `A picture of ${town[0]}` : null,
    taken: chance() < 0.6 ? new Date(1.3e12 + chance() * 4e11).toISOString().slice(0, 19) + 'Z' : null,
    added: new Date(1.79e12 - n * 400_000).toISOString().slice(0, 19) + 'Z', host, page: `https://${host}/walk/${n % 90}.html`,
    location, thumbnail: kind === 'audio' || n % 97 === 5 ? null : `/media/${id}/thumbnail`, file: `/media/${id}/file`, copies: n % 7 === 0 ? 3 : 1,
    size: 240_000, orientation: 1, make: 'Xiaomi', model: 'Redmi Note3', author: n % 3 ? null : 'Ana Pérez', licence: n % 3 ? null : 'https://creativecommons.org/licenses/by/4.0/',
    keywords: ['harbour', 'sea'], own_title: null, own_description: null, edited: null, place_names: ['Kiel'],
    other_locations: location ? [{ ...location, lat: location.lat + 0.1, source: 'page', precision_m: 20000, confidence: 0.3, evidence: 'the region around it', verified: false }] : [],
    wrong_location: null, found: [{ image: `https://${host}/img/${n}.jpg`, page: `https://${host}/walk/${n % 90}.html`, page_title: 'A walk <b>in</b> town', description: 'Harbour', licence: null, author: null }],
    addresses: [`https://${host}/img/${n}.jpg`], rejected: false, path: 'ab/cd.jpg',
  };
}
export const items: any[] = Array.from({ length: 10_000 }, (_, n) => makeItem(n));
export const towns = TOWNS;

export const fields = [
  ['seeds', 'Start pages', 'Where the crawl begins; one address a line.', 'url-list', 'Where'],
  ['region', 'Region', 'A place name, or LAT,LON,KM. Without one, every address counts.', 'region', 'Where'],
  ['limits.max-pages', 'Pages', 'The run ends after this many.', 'number', 'Limits', 'pages', 1],
  ['scope', 'Scope', 'How far links may lead.', 'choice', 'Where', null, null, ['host', 'domain', 'any']],
  ['limits.max-time', 'Time', 'The run ends after this time at work.', 'duration', 'Limits'],
  ['limits.max-bytes', 'Bytes', 'The run ends after so much was received.', 'bytes', 'Limits'],
  ['strategy', 'Strategy', 'The order of visits.', 'choice', 'Order', null, null, ['geo', 'best', 'breadth', 'depth']],
  ['keep.preset', 'Keep', 'Which pictures are kept.', 'choice', 'Keep', null, null, ['photo', 'query', 'database', 'all']],
  ['keep.only-located', 'Only with a place', 'Keep only files that say where they were made.', 'switch', 'Keep'],
  ['kind', 'Kinds', 'Kinds of media to collect.', 'list', 'What', null, null, ['image', 'video', 'audio']],
  ['lang', 'Languages', 'Only pages in these languages are followed.', 'list', 'What'],
  ['manners.delay', 'Delay', 'Between two requests to a host.', 'duration', 'Manners'],
  ['manners.contact', 'Contact', 'An address where site owners reach you.', 'text', 'Manners'],
].map(([name, title, help, type, group, unit, min, choices]) => ({ name, title, help, type, group, unit: unit ?? null, min: min ?? null, max: null, choices: choices ?? null }));
export const settings = { seeds: [], region: null, strategy: 'geo', scope: 'any', kind: ['image'], lang: [], limits: { 'max-pages': null, 'max-time': null, 'max-bytes': null }, keep: { preset: 'photo', 'only-located': false }, manners: { delay: '1s', contact: null } };
