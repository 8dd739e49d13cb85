/** What comes from the web is shown as text, wherever it is shown. */
import { ALT, ARTIST, HOST, nasty, PLACE, site, TITLE } from './nasty';
import { Server } from './program';
import { expect, mapReady, test as shared } from './test';

const test = shared.extend<object, { careful: Server }>({
  careful: [
    async ({ lab }, use) => {
      const nasty = await site();
      const server = await Server.start(lab, { resolve: [nasty.resolve] });
      await use(server);
      await server.stop();
      await nasty.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ careful }, use) => use(careful.url),
});

test('titles, alternative texts, addresses, EXIF, places and logs of a hostile site are text', async ({ page, careful }) => {
  const settings = { seeds: [`http://${HOST}/`], manners: { delay: '0s' } };
  await careful.post('/crawls', { name: 'hostile', settings });
  await page.goto('/crawls/of/hostile');
  await expect(page.getByText('finished', { exact: true }).first()).toBeVisible({ timeout: 40_000 });

  const { items } = await careful.get<{ items: { id: string }[] }>('/media');
  expect(items).toHaveLength(1);
  await page.goto(`/media/${items[0]?.id}`);
  await mapReady(page);
  for (const text of [ALT, ARTIST, TITLE, PLACE, nasty(9)]) {
    await expect(page.getByText(text).first()).toBeVisible();
  }
  await page.screenshot({ path: 'test-results/pages/hostile-item.png', fullPage: true });

  for (const path of ['/', '/gallery', '/search?q=harbour&view=list', '/search?q=alert', '/verify', '/statistics', '/crawls/of/hostile']) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('img[src="x"], script:not([src])').count(), path).toBe(0);
  }
  await page.getByText('Log', { exact: true }).click();
  await expect(page.getByText(encodeURIComponent(nasty(6)).slice(0, 20)).first()).toBeVisible();
});
