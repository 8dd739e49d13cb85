/** Collecting: pictures arrive while one looks, stay under the pointer, and are kept. */
import type { Page } from '@playwright/test';
import { accessible, expect, test } from './test';

const order = (page: Page) => page.locator('[data-id]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.id!));

/** A word of the library's pages, so that its own index has start pages for it. */
async function word(server: { get<T>(path: string): Promise<T> }): Promise<string> {
  for (const known of ['harbour', 'bridge', 'castle', 'market', 'garden', 'lake', 'station', 'church']) {
    const { total } = await server.get<{ total: number }>(`/search?q=${known}&kind=image`);
    if (total > 3) return known;
  }
  throw new Error('the library has none of the words');
}

/** Only the own index is asked: no test goes beyond this machine. */
test.beforeEach(async ({ server }) => {
  const settings = await server.get<Record<string, unknown>>('/settings');
  const answer = await fetch(`${server.url}/api/v1/settings`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...settings, find: { ...(settings.find as object), delay: '100ms', sources: [{ kind: 'index' }] } }),
  });
  expect(answer.ok, await answer.text()).toBe(true);
});

test('pictures arrive, stay under the pointer, are kept, and the way back leads to where one was', async ({ page, server }) => {
  // Long enough that it is stopped, however slow this machine is; and hosts that ask for seconds between two requests.
  test.setTimeout(240_000);
  await page.goto('/collect');
  await expect(page.getByRole('link', { name: 'Collect', exact: true })).toHaveAttribute('aria-current', 'page');
  await page.screenshot({ path: 'test-results/pages/collect-empty.png' });
  await accessible(page);

  await page.getByRole('searchbox').fill(await word(server));
  await page.getByLabel('For how long').selectOption('5m');
  await page.getByRole('button', { name: 'Collect' }).click();
  await expect(page).toHaveURL(/find=[0-9a-f]+/);
  await expect(page.locator('[data-id]').nth(5)).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('[data-said]')).toContainText('pages about');

  // What one points at stays, however many better pictures come.
  await page.locator('[data-id]').nth(2).hover();
  const before = await order(page);
  const read = async () => Number((await page.locator('[data-pages]').innerText()).replaceAll(',', ''));
  const pages = await read();
  await expect.poll(read, { timeout: 60_000 }).toBeGreaterThan(pages + 3);
  const after = await order(page);
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
  await page.screenshot({ path: 'test-results/pages/collect-running.png' });
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText('stopped', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0);
  await accessible(page);

  // Everything stands as it is ranked when nobody points at it.
  await page.mouse.move(5, 5);
  await expect
    .poll(async () => {
      const scores = await page.locator('[data-id] .score').allInnerTexts();
      return scores.every((score, at) => !at || Number(scores[at - 1]) >= Number(score));
    })
    .toBe(true);

  const first = page.locator('[data-id]').first();
  await first.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(first.getByRole('link', { name: 'In the library' })).toBeVisible({ timeout: 30_000 });
  const all = await order(page);
  const third = page.locator('[data-id]').nth(2);
  await third.getByRole('button', { name: 'Keep all up to here' }).click();
  await expect(third.locator('.mark, .wrong')).toBeVisible({ timeout: 60_000 });

  await page.mouse.wheel(0, 600);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
  const where = await page.evaluate(() => scrollY);
  await page.evaluate(() => (document.querySelector('a[href^="/media/"]') as HTMLElement).click());
  await expect(page).toHaveURL(/\/media\/[0-9a-f]{64}/);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(where);
  expect(await order(page)).toEqual(all);
  await page.screenshot({ path: 'test-results/pages/collect-kept.png' });
});

test('by keyboard, on a phone, in the dark', async ({ browser, server }) => {
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto('/collect');
  await page.getByRole('searchbox').fill(await word(server));
  await page.getByLabel('For how long').selectOption('10s');
  await page.keyboard.press('Tab');
  await page.getByRole('searchbox').press('Enter');
  await expect(page.locator('[data-id]').nth(3)).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('time is over')).toBeVisible({ timeout: 30_000 });
  await page.locator('[data-picture]').first().focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[data-picture]').nth(1)).toBeFocused();
  await page.keyboard.press('k');
  await expect(page.locator('[data-id]').nth(1).locator('.mark, .wrong')).toBeVisible({ timeout: 30_000 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.screenshot({ path: 'test-results/pages/collect-phone-dark.png' });
  await accessible(page);
  await context.close();
});

test('what cannot be looked for, and what is not remembered, is said', async ({ page }) => {
  await page.goto('/collect');
  await page.getByRole('button', { name: 'Collect' }).click();
  await expect(page.getByRole('alert')).toContainText('Say what');
  await page.getByRole('searchbox').fill('the of');
  await page.getByRole('button', { name: 'Collect' }).click();
  await expect(page.getByRole('alert')).toContainText(/\w+/);
  await expect(page).not.toHaveURL(/find=/);
  await page.goto('/collect?find=0123456789abcdef');
  await expect(page.getByRole('heading', { name: 'not remembered' })).toBeVisible();
});
