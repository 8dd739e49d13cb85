/** Work with the library: verify, schedule, settings, log-in, a server that goes away. */
import { accessible, expect, test } from './test';
import { Server } from './program';

interface Short {
  id: string;
  location: { verified: boolean } | null;
}

test('the work-list goes by one key each, and back', async ({ page, server }) => {
  const { items } = await server.get<{ items: Short[] }>('/verify?limit=3');
  await page.goto('/verify');
  const shown = page.locator('a.picture');
  await expect(shown).toHaveAttribute('href', `/media/${items[0]?.id}`);
  await page.keyboard.press('y');
  await expect(shown).toHaveAttribute('href', `/media/${items[1]?.id}`);
  await expect.poll(async () => (await server.get<Short>(`/media/${items[0]?.id}`)).location?.verified).toBe(true);
  await page.keyboard.press('n');
  await expect(shown).toHaveAttribute('href', `/media/${items[2]?.id}`);
  await expect.poll(async () => (await server.get<Short>(`/media/${items[1]?.id}`)).location).toBe(null);
  await page.keyboard.press('u');
  await expect(shown).toHaveAttribute('href', `/media/${items[1]?.id}`);
  await expect.poll(async () => (await server.get<Short>(`/media/${items[1]?.id}`)).location).not.toBe(null);
  await page.keyboard.press('m');
  await expect(page.locator('.pin')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await server.get<Short>(`/media/${items[1]?.id}`)).location?.verified).toBe(true);
});

test('a schedule is made with a preview, switched off, and removed', async ({ page }) => {
  await page.goto('/crawls/schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  await page.getByLabel('Crawl', { exact: true }).fill('lab');
  await page.getByLabel('When').fill('61 * * * *');
  await expect(page.locator('#schedule-when .wrong')).toBeVisible();
  await page.getByLabel('When').fill('0 */6 * * *');
  await expect(page.locator('#schedule-when')).toContainText('Next:');
  await page.getByRole('button', { name: 'Save the schedule' }).click();
  const entry = page.getByRole('listitem').filter({ hasText: '0 */6 * * *' });
  await expect(entry).toBeVisible();
  await entry.getByLabel('On').uncheck();
  await expect(entry).toContainText('switched off');
  await page.screenshot({ path: 'test-results/pages/schedule.png' });
  await entry.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(entry).toHaveCount(0);
});

test('settings are checked at the field, kept, and are what a new crawl starts with', async ({ page }) => {
  await page.goto('/settings');
  const delay = page.locator('[data-field="manners.delay"] input');
  await delay.fill('soon');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Write it like 200ms')).toBeVisible();
  await delay.fill('2s');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  await page.goto('/crawls/new');
  await page.getByText('More', { exact: true }).last().click();
  await expect(page.locator('[data-field="manners.delay"] input')).toHaveValue('2s');
  await page.goto('/settings');
  await page.getByLabel('Style').fill('no address');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/must be an address/)).toBeVisible();
});

test('light and dark are a choice that stays', async ({ page }) => {
  await page.goto('/settings');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
});

test('a server that dies is said in a banner, and all goes on when it is back', async ({ page, lab }) => {
  const server = await Server.start(lab);
  try {
    await page.goto(`${server.url}/crawls`);
    await expect(page.getByText('No crawl yet')).toBeVisible();
    await server.kill();
    await expect(page.getByText('No connection to the server')).toBeVisible();
    await server.again();
    await expect(page.getByText('No connection to the server')).toHaveCount(0);
    await expect(page.getByText('No crawl yet')).toBeVisible();
  } finally {
    await server.stop();
  }
});

test('with a token one logs in; a reader may look and not change', async ({ page, lab }) => {
  const server = await Server.start(lab, { env: { BOWERBIRD_TOKEN: 'open-sesame-1234567890', BOWERBIRD_READ_TOKEN: 'only-look-1234567890' } });
  try {
    await page.goto(`${server.url}/gallery`);
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await page.screenshot({ path: 'test-results/pages/log-in.png' });
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    await page.getByLabel('Token').fill('only-look-1234567890');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page).toHaveURL(/\/gallery$/);
    await page.goto(`${server.url}/crawls`);
    await expect(page.getByRole('heading', { name: 'Crawls' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'New crawl' })).toHaveCount(1);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await page.getByLabel('Token').fill('open-sesame-1234567890');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('link', { name: 'New crawl' })).toHaveCount(2);
  } finally {
    await server.stop();
  }
});

test('workers of a shared database are listed, on a phone as cards', async ({ page }) => {
  const moment = new Date().toISOString();
  const worker = { number: 1, what: 'worker (all) on a-machine-with-a-long-name, process 4711', started: moment, seen: moment };
  const figures = { lease_until: moment, visits: 1234, rate: 5.6, hosts: 7, crawls: ['north'], own: false };
  const workers = { shared: true, would_pay: 3, items: [{ ...worker, ...figures }] };
  await page.route('**/api/v1/workers', (route) => route.fulfill({ json: workers }));
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/crawls');
    const list = page.getByRole('region', { name: 'Workers' });
    await expect(list).toContainText('enough work for 3 workers');
    await expect(list.getByText('1,234')).toBeVisible();
    await page.screenshot({ path: `test-results/pages/workers-${width}.png` });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await accessible(page);
  }
});
