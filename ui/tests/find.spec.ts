/** Finding: by map, by words, by filters, by keys. */
import { expect, mapReady, test } from './test';

test('the map shows clusters that open, and a strip of what is in view', async ({ page }) => {
  await page.goto('/');
  await mapReady(page);
  await expect(page.locator('.mark').first()).toBeVisible();
  await expect(page.locator('.strip li').first()).toBeVisible();
  const before = page.url();
  const stack = page.locator('.mark.stack').first();
  if (await stack.count()) {
    await stack.click({ force: true });
    await expect.poll(() => page.url()).not.toBe(before);
  }
  await page.locator('.strip li a').first().click();
  await expect(page).toHaveURL(/\/media\/[0-9a-f]{64}$/);
  await page.goBack();
  await mapReady(page);
  await expect(page.locator('.strip li').first()).toBeVisible();
});

test('the map moves with the keyboard and flies to a place', async ({ page }) => {
  await page.goto('/?at=20,0,2');
  await mapReady(page);
  await page.keyboard.press('ArrowRight');
  await expect(page).not.toHaveURL(/at=20\.0000,0\.0000,2\.00/);
  await page.keyboard.press('l');
  await expect(page.locator('.strip.listed')).toBeVisible();
  await page.getByLabel('Go to a place').fill('Madrid');
  await page.getByRole('option', { name: /Madrid/ }).first().click();
  await expect(page).toHaveURL(/at=40\.\d+,-3\.\d+/);
});

test('pages are a layer of their own', async ({ page }) => {
  await page.goto('/');
  await mapReady(page);
  await page.getByRole('button', { name: 'Pages', exact: true }).click();
  await expect(page).toHaveURL(/pages=1/);
  await expect(page.locator('.mark .sheet').first()).toBeVisible();
});

test('filters stand in the address, as chips, and go with the back button', async ({ page }) => {
  await page.goto('/gallery');
  await expect(page.locator('.grid a').first()).toBeVisible();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('group', { name: 'Kind' }).getByRole('button', { name: 'Pictures' }).click();
  await page.getByLabel('Place known').selectOption('true');
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(/kind=image/);
  await expect(page).toHaveURL(/located=true/);
  await page.getByRole('button', { name: 'Remove: With a place' }).click();
  await expect(page).not.toHaveURL(/located/);
  await page.goBack();
  await expect(page).toHaveURL(/located=true/);
  await page.getByLabel('Order').selectOption('colour');
  await expect(page.locator('.grid h2').first()).toBeVisible();
});

test('words find pictures and pages; nothing found says so', async ({ page, server }) => {
  const { items } = await server.get<{ items: { title: string | null; description: string | null }[] }>('/media?limit=50');
  const word = items.flatMap((item) => `${item.title ?? ''} ${item.description ?? ''}`.match(/\p{L}{5,}/gu) ?? [])[0] ?? 'harbour';
  await page.goto('/');
  await mapReady(page);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL(/\/search$/);
  await page.locator('[data-search]').fill(word);
  await page.keyboard.press('Enter');
  await expect(page.locator('.grid a').first()).toBeVisible();
  await page.getByRole('button', { name: 'Pages', exact: true }).click();
  await expect(page).toHaveURL(/what=page/);
  await page.goto('/search?q=qqqzzzxxx');
  await expect(page.getByText('Nothing matches')).toBeVisible();
});

test('a place that is unknown is said in words', async ({ page }) => {
  await page.goto('/search?place=Qqqzzz');
  await expect(page.getByRole('alert')).toContainText(/\w+/);
});

test('? shows the keys, / goes to the words, Esc closes', async ({ page }) => {
  await page.goto('/gallery');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(page.locator('[data-search]')).toBeFocused();
});

test('results are exported', async ({ page }) => {
  await page.goto('/search?kind=image');
  await page.getByText('Export', { exact: true }).click();
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'GEOJSON' }).click();
  expect((await coming).suggestedFilename()).toMatch(/\.geojson$/);
});
