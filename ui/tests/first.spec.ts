/** From nothing to pictures on the map. */
import { expect, mapReady, test as shared } from './test';
import { Server } from './program';

const test = shared.extend<object, { empty: Server }>({
  empty: [
    async ({ lab }, use) => {
      const server = await Server.start(lab);
      await use(server);
      await server.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ empty }, use) => use(empty.url),
});

test('a first visit explains the first crawl, and a wrong address is said at the field', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Nothing gathered yet' })).toBeVisible();
  await page.screenshot({ path: 'test-results/pages/empty.png' });
  await page.getByLabel('Start page').fill('ftp://example.org');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.locator('#first-wrong')).toContainText(/\w+/);
});

test('empty lists say so', async ({ page }) => {
  for (const [path, words] of [
    ['/gallery', 'Nothing gathered yet'],
    ['/verify', 'Nothing to verify'],
    ['/crawls', 'No crawl yet'],
    ['/crawls/schedules', 'No schedule yet'],
    ['/search?q=harbour', 'Nothing matches'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText(words)).toBeVisible();
  }
});

test('each field of the form is checked with words', async ({ page }) => {
  await page.goto('/crawls/new');
  await page.getByRole('button', { name: 'Start the crawl' }).click();
  await expect(page.getByText('Give at least one page to start from')).toBeVisible();
  await page.getByLabel('Start pages').fill('not an address at all:::');
  const pages = page.locator('[data-field="limits.max-pages"] input');
  await pages.fill('many');
  await pages.blur();
  await expect(page.getByText('“many” is not a number.')).toBeVisible();
});

test('a crawl from the form brings pictures to its page, then to the map', async ({ page, lab }) => {
  await page.goto('/crawls/new');
  await page.getByLabel('Start pages').fill(lab.seeds.join('\n'));
  await page.locator('[data-field="limits.max-pages"] input').fill('80');
  await page.getByText('More', { exact: true }).last().click();
  await page.locator('[data-field="manners.delay"] input').fill('0');
  await page.getByLabel('Name').fill('by <img src=x onerror=alert(1)> hand');
  await page.getByRole('button', { name: 'Start the crawl' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('by <img src=x onerror=alert(1)> hand');
  await expect(page.locator('section[aria-label="Pictures of this crawl"] li').first()).toBeVisible({ timeout: 40_000 });
  await page.screenshot({ path: 'test-results/pages/crawl-running.png' });
  await expect(page.getByText('finished')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('link', { name: 'on the map' }).click();
  await mapReady(page);
  await expect(page.locator('.mark').first()).toBeVisible();
  await expect(page.locator('.strip li').first()).toBeVisible();
  await page.screenshot({ path: 'test-results/pages/map-after-crawl.png' });
});

test('a crawl is paused, resumed and stopped', async ({ page, lab }) => {
  await page.goto('/crawls/new');
  await page.getByLabel('Start pages').fill(lab.seeds[0] ?? '');
  await page.getByLabel('Name').fill('slow');
  await page.getByRole('button', { name: 'Start the crawl' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('paused', { exact: true }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: /Go on|Resume/ })).toBeVisible();
});
