/** What every test has: a library crawled from the made web, and an eye on where requests go. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base, type Page } from '@playwright/test';
import { LabWeb, Server } from './program';

interface Shared {
  lab: LabWeb;
  server: Server;
}

export const test = base.extend<{ strict: void }, Shared>({
  lab: [
    async ({}, use) => {
      const lab = await LabWeb.start();
      await use(lab);
      await lab.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  server: [
    async ({ lab }, use) => {
      const server = await Server.start(lab, { pages: 150 });
      await use(server);
      await server.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  // No page may ask another host, break, or run what was crawled.
  strict: [
    async ({ context }, use) => {
      const elsewhere: string[] = [];
      const broken: string[] = [];
      context.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== '127.0.0.1') elsewhere.push(request.url());
      });
      context.on('weberror', (error) => broken.push(error.error().message));
      context.on('dialog', (dialog) => {
        broken.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      context.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) broken.push(message.text());
      });
      await use();
      expect(elsewhere, 'requests to other hosts').toEqual([]);
      expect(broken, 'errors in the page').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Nothing serious for people who do not see, do not hear, or use no mouse. Of what repeats, some is enough. */
export async function accessible(page: Page, repeats?: string) {
  const axe = new AxeBuilder({ page });
  const { violations } = await (repeats ? axe.exclude(repeats) : axe).analyze();
  const serious = violations.filter((one) => one.impact === 'serious' || one.impact === 'critical');
  expect(serious.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)).toEqual([]);
}

/** A map that can be drawn on. */
export async function mapReady(page: Page) {
  await page.waitForFunction(() => {
    const place = document.querySelector('[data-map]') as (Element & { map?: { loaded(): boolean } }) | null;
    return place?.map?.loaded() ?? false;
  });
}
