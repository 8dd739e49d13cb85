/** The pages and their addresses. Each page is a chunk of its own. */
import type { Component } from 'svelte';

export type Menu = 'map' | 'search' | 'collect' | 'gallery' | 'verify' | 'crawls' | 'statistics' | 'api' | 'settings' | 'about';

interface PageOf {
  pattern: RegExp;
  title: string;
  menu?: Menu;
  /** It fills the window and scrolls inside. */
  fills?: boolean;
  /** It may be seen without being logged in. */
  open?: boolean;
  load: () => Promise<{ default: Component<Record<string, string>> }>;
}

/** Pages differ in what they are given; the router gives what the pattern names. */
const page = (pattern: RegExp, title: string, load: () => Promise<{ default: unknown }>, more: Partial<PageOf> = {}): PageOf => ({
  pattern,
  title,
  load: load as PageOf['load'],
  ...more,
});

const PAGES: PageOf[] = [
  page(/^\/$/, 'Map', () => import('./pages/MapPage.svelte'), { menu: 'map', fills: true }),
  page(/^\/search$/, 'Search', () => import('./pages/SearchPage.svelte'), { menu: 'search' }),
  page(/^\/collect$/, 'Collect', () => import('./pages/CollectPage.svelte'), { menu: 'collect' }),
  page(/^\/media\/(?<id>[0-9a-f]{64})$/, 'Item', () => import('./pages/ItemPage.svelte')),
  page(/^\/verify$/, 'Verify', () => import('./pages/VerifyPage.svelte'), { menu: 'verify' }),
  page(/^\/gallery$/, 'Gallery', () => import('./pages/GalleryPage.svelte'), { menu: 'gallery' }),
  page(/^\/crawls$/, 'Crawls', () => import('./pages/CrawlsPage.svelte'), { menu: 'crawls' }),
  page(/^\/crawls\/new$/, 'New crawl', () => import('./pages/NewCrawlPage.svelte'), { menu: 'crawls' }),
  page(/^\/crawls\/schedules$/, 'Schedules', () => import('./pages/SchedulesPage.svelte'), { menu: 'crawls' }),
  page(/^\/crawls\/of\/(?<name>[^/]+)$/, 'Crawl', () => import('./pages/CrawlPage.svelte'), { menu: 'crawls' }),
  page(/^\/statistics$/, 'Statistics', () => import('./pages/StatisticsPage.svelte'), { menu: 'statistics' }),
  page(/^\/docs$/, 'API', () => import('./pages/ApiPage.svelte'), { menu: 'api' }),
  page(/^\/settings$/, 'Settings', () => import('./pages/SettingsPage.svelte'), { menu: 'settings' }),
  page(/^\/about$/, 'About', () => import('./pages/AboutPage.svelte'), { menu: 'about' }),
  page(/^\/login$/, 'Log in', () => import('./pages/LoginPage.svelte'), { open: true }),
];

const NOWHERE = page(/$/, 'Nothing here', () => import('./pages/NowherePage.svelte'), { open: true });

export interface Route {
  page: PageOf;
  parameters: Record<string, string>;
  /** Another key is another visit of the page; the item page stays and changes what it shows. */
  key: string;
}

export function routeOf(path: string): Route {
  const bare = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const page of PAGES) {
    const match = page.pattern.exec(bare);
    if (!match) continue;
    const parameters = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value ?? '')]),
    );
    return { page, parameters, key: page.title + (parameters.name ?? '') };
  }
  return { page: NOWHERE, parameters: {}, key: 'nowhere' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Names are often hosts; a dot in the last part of an address would make it a file. */
export const crawlAddress = (name: string): string => `/crawls/of/${encodeURIComponent(name).replaceAll('.', '%2E')}`;
