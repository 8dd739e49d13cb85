/** Every page, at desktop and phone width, light and dark: it comes, it is accessible, and it is kept as a picture. */
import { accessible, expect, mapReady, test } from './test';

const PAGES: [string, string, string | RegExp][] = [
  ['map', '/', 'Map'],
  ['search', '/search?q=the', 'Search'],
  ['search-pages', '/search?what=page', 'Search'],
  ['collect', '/collect', 'Collect'],
  ['gallery', '/gallery', 'Gallery'],
  ['verify', '/verify', 'Verify'],
  ['crawls', '/crawls', 'Crawls'],
  ['crawl', '/crawls/of/lab', /^lab/],
  ['new-crawl', '/crawls/new', 'New crawl'],
  ['schedules', '/crawls/schedules', 'Schedules'],
  ['statistics', '/statistics', 'Statistics'],
  ['api', '/docs', 'API'],
  ['settings', '/settings', 'Settings'],
  ['about', '/about', 'Bowerbird'],
];
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${size}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, hasTouch: size === 'phone' });

      for (const [name, path, title] of PAGES) {
        test(name, async ({ page }) => {
          await page.goto(path);
          await expect(page.getByRole('heading', { level: 1, name: title })).toBeAttached();
          await expect(page.locator('.loading')).toHaveCount(0);
          if (name === 'map') await mapReady(page);
          await expect(page.locator('[role="alert"]')).toHaveCount(0);
          await page.screenshot({ path: `test-results/pages/${name}-${size}-${colorScheme}.png` });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(wide, 'nothing sticks out sideways').toBeLessThanOrEqual(0);
          await accessible(page);
        });
      }

      test('item', async ({ page, server }) => {
        const { items } = await server.get<{ items: { id: string }[] }>('/media?located=true&kind=image&limit=1');
        await page.goto(`/media/${items[0]?.id}`);
        await expect(page.getByRole('heading', { name: 'Place' })).toBeVisible();
        await mapReady(page);
        await page.screenshot({ path: `test-results/pages/item-${size}-${colorScheme}.png` });
        await accessible(page);
      });
    });
  }
}

test('nothing sticks out at 360 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 700 });
  for (const [, path] of PAGES) {
    await page.goto(path);
    await expect(page.locator('h1').first()).toBeAttached();
    await expect(page.locator('.loading')).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
  }
});
