/** A server of made answers, for `npm run fake` only. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';
import { chance, fields, items, makeItem, settings, towns } from './made';

const now = () => new Date().toISOString().slice(0, 19) + 'Z';
const crawls: any[] = ['lab-web', 'kiel'].map((name, n) => ({
  name, state: n ? 'interrupted' : 'finished', strategy: 'geo', region: n ? 'Kiel' : null, created: now(), started: now(), ended: now(), stopped: 'max-pages',
  pages: 1000 - 300 * n, images: { seen: 5200, kept: 840 }, geotagged: 210, located: 520, relevant: 300, harvest_rate: 0.3, queued: 12000, in_flight: 0, bytes: 9.1e8, seconds: 340, pages_per_second: 2.9, runs: 1,
  settings, tasks: [], errors: { 'timed out': 12, 'HTTP 404': 40 }, refused: { 'too small': 2400, 'not a photo': 900 },
  harvest: { curve: Array.from({ length: 60 }, (_, i) => [i * 17, Math.round(5 * i + 8 * Math.sqrt(i))]), bridge: [0, 40, 22, 9, 3, 1], tail: [0, 60, 18, 6, 2], seed_distance: [1, 12, 44, 80, 60, 21, 5] },
}));
const detail = (crawl: any) => ({ ...crawl, runs: [{ started: crawl.started, ended: crawl.ended, seconds: crawl.seconds, pages: crawl.pages, stopped: crawl.stopped, peak_memory: 2.1e8, steps: { fetch: { count: 900, seconds: 300 }, parse: { count: 900, seconds: 12 }, places: { count: 900, seconds: 30 } } }] });
let schedules: any[] = [{ id: 1, name: 'nightly', cron: '0 3 * * *', cron_in_words: 'at 03:00 every day', zone: 'Europe/Berlin', enabled: true, catch_up: 'once', crawl: { name: 'kiel', settings: {} }, next: ['2026-11-17T02:00:00Z', '2026-11-18T02:00:00Z', '2026-11-19T02:00:00Z'], last: { due: now(), started: now(), ended: now(), outcome: 'done', detail: null, pages: 500, images: 80 } }];
let changed: any = { crawl: settings, map: { style_url: null, pmtiles_url: null, attribution: null } };

function inBox(lat: number, lon: number, box: string | null) {
  if (!box) return true;
  const [s, w, n, e] = box.split(',').map(Number) as [number, number, number, number];
  return lat >= s && lat <= n && (w <= e ? lon >= w && lon <= e : lon >= w || lon <= e);
}
function matching(q: URLSearchParams) {
  const kinds = q.get('kind')?.split(',');
  return items.filter((item) => (!kinds || kinds.includes(item.kind)) && (!q.get('host') || item.host === q.get('host')) &&
    (q.get('located') === null || String(item.location !== null) === q.get('located')) && (q.get('verified') === null || String(!!item.location?.verified) === q.get('verified')) &&
    (!q.get('box') || (item.location && inBox(item.location.lat, item.location.lon, q.get('box')))) &&
    (!q.get('place') || item.location?.town === q.get('place')?.split(',')[0]) &&
    (!q.get('q') || `${item.title} ${item.description}`.toLowerCase().includes(q.get('q')!.toLowerCase())));
}
function paged(all: any[], q: URLSearchParams, name = 'items') {
  const from = Number(q.get('cursor') ?? 0);
  const limit = Number(q.get('limit') ?? 50);
  return { [name]: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null, total: all.length, total_is_at_least: false };
}
function sorted(all: any[], order: string | null) {
  const key: Record<string, (i: any) => string> = { taken: (i) => i.taken ?? '', place: (i) => (i.location?.country ?? '~') + (i.location?.town ?? ''), host: (i) => i.host, colour: (i) => i.colour };
  const by = key[order ?? ''];
  if (!by) return all;
  return [...all].sort((a, b) => (by(a) < by(b) ? -1 : 1) * (order === 'taken' ? -1 : 1));
}
function clusters(q: URLSearchParams) {
  const zoom = Number(q.get('zoom') ?? 0);
  const cell = 360 / 2 ** zoom / 7;
  const cells = new Map<string, any[]>();
  const asked = new URLSearchParams(q);
  if (q.get('kind') === 'page') asked.delete('kind');
  const all = matching(asked).filter((item) => item.location).slice(0, q.get('kind') === 'page' ? 200 : undefined);
  for (const item of all) {
    const key = `${Math.floor(item.location.lat / cell)} ${Math.floor(item.location.lon / cell)}`;
    cells.set(key, [...(cells.get(key) ?? []), item]);
  }
  return { total: all.length, total_is_at_least: false, clusters: [...cells.values()].slice(0, 400).map((in_) => {
    const lats = in_.map((i) => i.location.lat), lons = in_.map((i) => i.location.lon);
    return { lat: lats.reduce((a, b) => a + b) / in_.length, lon: lons.reduce((a, b) => a + b) / in_.length, count: in_.length, box: [Math.min(...lats), Math.min(...lons), Math.max(...lats), Math.max(...lons)], id: in_[0].id, kind: in_[0].kind };
  }) };
}
const pageOf = (item: any) => ({ id: item.page + item.id.slice(0, 4), kind: 'page', page: item.page, title: 'A walk <b>in</b> town', description: 'Where we went and what we saw on the way.', language: 'en', relevant: true, location: item.location, distance_m: null, score: 1, places: item.location ? [{ kind: 'toponym', text: item.location.town, place: item.location.town, town: item.location.town, country: item.location.country, lat: item.location.lat, lon: item.location.lon, precision_m: 3000, confidence: 0.8, mentions: 2, relevant: true, why: 'named twice' }] : [] });
const statistics = () => ({ links: { discovered: 298109, visited: 35158 }, pages: 35158, images: { total: 76349, with_location_in_metadata: 738, without: 75611, wrong_coordinates: 3, located_by_text: 9210, average_width: 668, average_height: 489 }, media: { image: 9000, video: 500, audio: 500 },
  hosts: ['photos.example.org', 'reisen.example.de'].map((host, n) => ({ host, pages: 400 - n * 90, images: 900 - n * 300, geotagged: 80 - n * 20 })), tlds: [{ tld: 'com', images_with_location_in_metadata: 642 }, { tld: 'de', images_with_location_in_metadata: 88 }, { tld: 'fr', images_with_location_in_metadata: 4 }],
  harvest: { relevant: 600, rate: 0.3, bridge: [0, 40, 22, 9], tail: [0, 60, 18], seed_distance: [1, 12, 44, 80, 60] }, runs: crawls.map((c) => ({ name: c.name, started: c.started, ended: c.ended, seconds: c.seconds, pages: c.pages })), kept: { images: 9000, videos: 500, audio: 500 }, results: { kept: 840, 'too small': 2400, 'not a photo': 900, 'HTTP 404': 40 },
  by_country: [{ country: 'DE', images: 1400 }, { country: 'ES', images: 700 }, { country: 'JP', images: 300 }], by_month: Array.from({ length: 14 }, (_, n) => ({ month: `2025-${String(n % 12 + 1).padStart(2, '0')}`, images: 100 + n * 20 })), steps: [{ name: 'kiel', started: now(), steps: { fetch: { count: 900, seconds: 300 }, parse: { count: 900, seconds: 12 } } }], disk: { library: 2e8, media: 3e9, free: 9e10 }, memory: 2e8 });

async function body(request: IncomingMessage): Promise<any> {
  let text = '';
  for await (const part of request) text += part;
  return text ? JSON.parse(text) : {};
}
function svg(item: any) {
  const w = item.width ?? 400, h = item.height ?? 400;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w / 4}" height="${h / 4}"><rect width="${w}" height="${h}" fill="${item.colour}"/><circle cx="${w * 0.7}" cy="${h * 0.3}" r="${h * 0.12}" fill="#fff" opacity=".5"/><path d="M0 ${h} L${w * 0.3} ${h * 0.45} L${w * 0.55} ${h * 0.8} L${w * 0.75} ${h * 0.55} L${w} ${h}Z" fill="#000" opacity=".28"/></svg>`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://x');
  const q = url.searchParams;
  const path = url.pathname.replace('/api/v1', '');
  const send = (data: any, status = 200) => {
    response.statusCode = status;
    response.setHeader('Content-Type', status < 400 ? 'application/json' : 'application/problem+json');
    response.end(status === 204 ? undefined : JSON.stringify(data));
  };
  const wrong = (status: number, detail: string, fields?: any[]) => send({ type: 'about:blank', title: 'Wrong', status, detail, fields }, status);
  const events = (every: () => [string, any][], ms: number) => {
    response.setHeader('Content-Type', 'text/event-stream');
    const tell = () => every().forEach(([name, data]) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    tell();
    const timer = setInterval(tell, ms);
    request.on('close', () => clearInterval(timer));
  };
  if (path === '/session') return send({ role: 'admin', login_needed: false, version: '0.1.0' });
  if (path === '/health') return send({ status: 'ok' });
  if (path === '/settings') { if (request.method === 'PUT') changed = await body(request); return send(changed); }
  if (path === '/about') return send({ version: '0.1.0', data: [{ name: 'GeoNames', licence: 'CC BY 4.0', url: 'https://www.geonames.org' }], libraries: [{ name: 'axum', version: '0.8', licence: 'MIT' }] });
  if (path === '/events') return events(() => [['crawls', { crawls: crawls.map(({ harvest, settings: _, ...short }) => short) }]], 1000);
  if (path === '/media') return send(paged(sorted(matching(q), q.get('order')), q));
  if (path === '/verify') return send(paged(items.filter((item) => item.location && !item.location.verified).sort((a, b) => a.location.confidence - b.location.confidence), q));
  if (path === '/search') {
    if (q.get('what') === 'page') return send({ ...paged(items.slice(0, 80).map(pageOf), q, 'results'), milliseconds: 3.2, asked: { words: q.get('q'), place: null } });
    return send({ ...paged(matching(q).map((item) => ({ ...item, score: 1 })), q, 'results'), milliseconds: 3.2, asked: { words: q.get('q'), place: null } });
  }
  if (path === '/pages') return send(paged(items.slice(0, 20).map(pageOf), q));
  if (path === '/map/clusters') return send(clusters(q));
  if (path === '/map/labels') return send({ labels: towns.filter((t) => inBox(t[3], t[4], q.get('box'))).map((t, rank) => ({ name: t[0], lat: t[3], lon: t[4], kind: 'town', rank })) });
  if (path === '/places/suggest') return send({ places: towns.filter((t) => t[0].toLowerCase().startsWith((q.get('q') ?? '').toLowerCase())).map((t, id) => ({ id, name: t[0], kind: 'town', admin1: t[1], country: t[2], lat: t[3], lon: t[4], population: 100000, box: null })) });
  if (path === '/places/reverse') return send({ place: 'Kiel, Schleswig-Holstein', town: 'Kiel', admin1: 'Schleswig-Holstein', country: 'DE', distance_m: 900 });
  if (path === '/statistics') return send(statistics());
  if (path === '/forget') return request.method === 'POST' ? send({ hosts: 1, pages: 4, media: 3, files: 3 }) : send({ items: [{ kind: 'host', what: 'bad.example.org', at: now() }] });
  const media = /^\/media\/([0-9a-f]{64})(\/\w+)?$/.exec(path);
  if (media) {
    const at = items.findIndex((item) => item.id === media[1]);
    const item = items[at];
    if (!item) return wrong(404, 'There is no such item.');
    if (media[2] === '/thumbnail' || media[2] === '/file') { response.setHeader('Content-Type', 'image/svg+xml'); response.end(svg(item)); return; }
    if (request.method === 'DELETE') { items.splice(at, 1); return send(null, 204); }
    if (request.method === 'PATCH') {
      const change = await body(request);
      if ('title' in change) { item.title = change.title; item.edited = { title: change.title, description: null }; }
      if ('description' in change) item.description = change.description;
      if (change.location === 'confirm') item.location.verified = true;
      else if (change.location === 'reject') item.location = null;
      else if (change.location) item.location = { ...(item.location ?? {}), ...change.location, place: 'Kiel', town: 'Kiel', country: 'DE', source: 'person', precision_m: 10, confidence: 1, verified: true, evidence: null };
    }
    return send(item);
  }
  if (path === '/crawls/defaults') return send({ settings, fields });
  if (path === '/crawls' && request.method === 'POST') {
    const asked = await body(request);
    if (!asked.settings?.seeds?.length && !asked.name) return wrong(422, 'Give at least one start page.', [{ field: 'seeds', detail: 'Give at least one start page.' }]);
    const crawl = { ...crawls[0], name: asked.name || `crawl-${crawls.length}`, state: 'running', pages: 0, images: { seen: 0, kept: 0 }, seconds: 0, queued: 10, started: now(), ended: null, stopped: null };
    crawls.unshift(crawl);
    const timer = setInterval(() => { if (crawl.state !== 'running') return; crawl.pages += 3; crawl.images = { seen: crawl.images.seen + 11, kept: crawl.images.kept + 2 }; crawl.queued += 20; crawl.seconds += 0.5; if (crawl.pages > 400) { crawl.state = 'finished'; clearInterval(timer); } }, 500);
    return send(crawl, 201);
  }
  if (path === '/crawls') return send({ items: crawls });
  const crawl = /^\/crawls\/([^/]+)(?:\/(\w+))?$/.exec(path);
  if (crawl) {
    const one = crawls.find((c) => c.name === decodeURIComponent(crawl[1] ?? ''));
    if (!one) return wrong(404, 'There is no such crawl.');
    if (crawl[2] === 'events') return events(() => [['progress', one], ...(one.state === 'running' ? [['picture', makeItem(Math.floor(chance() * 9000))] as [string, any]] : [])], 500);
    if (crawl[2] === 'log') return send({ items: [{ at: now(), url: 'https://photos.example.org/x', what: 'timed out' }, { at: now(), url: 'https://photos.example.org/<script>', what: 'HTTP 404' }], next: null });
    if (crawl[2] === 'pause') one.state = 'paused';
    if (crawl[2] === 'resume') one.state = 'running';
    if (crawl[2] === 'stop') one.state = 'finished';
    return send(detail(one));
  }
  if (path === '/schedules/preview') return /^(\S+ ){4}\S+$/.test(q.get('cron') ?? '') ? send({ words: 'at 03:00 every day', next: Array(5).fill(0).map((_, n) => new Date(Date.now() + n * 864e5).toISOString()) }) : wrong(422, 'A cron expression has five fields.', [{ field: 'cron', detail: 'A cron expression has five fields.' }]);
  if (path === '/schedules' && request.method === 'POST') { const s = await body(request); schedules.push({ ...schedules[0], ...s, id: schedules.length + 2, name: s.crawl.name }); return send(schedules.at(-1), 201); }
  if (path === '/schedules') return send({ items: schedules });
  const schedule = /^\/schedules\/(\d+)(?:\/(\w+))?$/.exec(path);
  if (schedule) {
    const one = schedules.find((s) => String(s.id) === schedule[1]);
    if (request.method === 'DELETE') { schedules = schedules.filter((s) => s !== one); return send(null, 204); }
    if (schedule[2] === 'runs') return send({ items: [one.last], next: null });
    if (request.method === 'PATCH') Object.assign(one, await body(request));
    return send(one);
  }
  if (url.pathname === '/api/openapi.json') return send({ openapi: '3.1.0', info: { title: 'Bowerbird', version: '0.1.0' }, paths: { '/api/v1/media': { get: { tags: ['media'], summary: 'A list of media', parameters: [{ name: 'limit', in: 'query', description: 'How many', schema: { type: 'integer' } }], responses: { 200: { description: 'The list', content: { 'application/json': { schema: { $ref: '#/components/schemas/Card' } } } } } } } }, components: { schemas: { Card: { type: 'object', properties: { id: { type: 'string', description: 'SHA-256' } } } } } });
  return wrong(404, `Nothing is at ${url.pathname}.`);
}

export function fake(): Plugin {
  return {
    name: 'fake-server',
    configurePreviewServer(server) {
      server.middlewares.use((request, response, next) => {
        response.setHeader('Content-Security-Policy', "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; connect-src 'self'; worker-src 'self' blob:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
        if (!request.url?.startsWith('/api/')) return next();
        answer(request, response).catch((error) => { response.statusCode = 500; response.end(String(error)); });
      });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (!request.url?.startsWith('/api/')) return next();
        answer(request, response).catch((error) => { response.statusCode = 500; response.end(String(error)); });
      });
    },
  };
}
