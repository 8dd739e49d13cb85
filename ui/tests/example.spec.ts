/** Finding by example, and results that follow what one does. */
import { accessible, expect, test } from './test';

const ids = (page: import('@playwright/test').Page) =>
  page.locator('.grid a[href^="/media/"]').evaluateAll((all) => all.map((one) => one.getAttribute('href')));

test('a dropped picture finds itself and its like, in four modes', async ({ page, server }) => {
  const { items } = await server.get<{ items: { id: string; file: string }[] }>('/media?kind=image&limit=1');
  const picture = Buffer.from(await (await fetch(`${server.url}/api/v1${items[0]!.file}`)).arrayBuffer());
  await page.goto('/search');
  await page.setInputFiles('input[type=file]', { name: 'example.jpg', mimeType: 'image/jpeg', buffer: picture });
  await expect(page).toHaveURL(/like=file/);
  await expect(page.locator(`.grid a[href="/media/${items[0]!.id}"]`)).toBeVisible();
  await accessible(page);
  for (const mode of ['Copies', 'Whole', 'Better']) {
    await page.getByRole('button', { name: mode, exact: true }).click();
    await expect(page.getByRole('button', { name: mode, exact: true })).toHaveAttribute('aria-pressed', 'true');
    await expect(page.locator(`.grid a[href="/media/${items[0]!.id}"]`)).toBeVisible();
  }
});

test('what is no media is refused with a reason', async ({ page }) => {
  await page.goto('/search');
  await page.setInputFiles('input[type=file]', { name: 'words.txt', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') });
  await expect(page.getByText(/no picture, film or sound/)).toBeVisible();
});

test('an item has its like', async ({ page, server }) => {
  const { items } = await server.get<{ items: { id: string }[] }>('/media?kind=image&limit=1');
  await page.goto(`/media/${items[0]!.id}`);
  await page.getByRole('link', { name: 'Similar' }).click();
  await expect(page).toHaveURL(new RegExp(`like=${items[0]!.id}`));
  await expect(page.locator('.grid a').first()).toBeVisible();
  expect(await ids(page)).not.toContain(`/media/${items[0]!.id}`);
});

test('a download re-orders the results, and one click undoes it', async ({ page }) => {
  await page.goto('/search?kind=image');
  await expect(page.locator('.grid a').nth(5)).toBeVisible();
  const before = await ids(page);
  const chosen = before[4]!;
  await page.locator(`.grid a[href="${chosen}"]`).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  await (await download).cancel();
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page.getByText('more like the one you downloaded')).toBeVisible();
  await expect.poll(async () => (await ids(page))[0]).toBe(chosen);
  expect(await ids(page)).not.toEqual(before);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => ids(page)).toEqual(before);
  await expect(page.getByText('Re-ordered')).toHaveCount(0);
});

test('a long look re-orders, a short one does not', async ({ page }) => {
  await page.clock.install();
  await page.goto('/search?kind=image');
  await expect(page.locator('.grid a').nth(5)).toBeVisible();
  const chosen = (await ids(page))[3]!;
  for (const [looked, reordered] of [[2_000, 0], [6_000, 1]] as const) {
    await page.locator(`.grid a[href="${chosen}"]`).click();
    await expect(page.getByRole('link', { name: 'Download' })).toBeVisible();
    await page.clock.runFor(looked);
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(page.locator('.grid a').nth(5)).toBeVisible();
    await expect(page.getByText('more like the one you looked at')).toHaveCount(reordered);
  }
});
