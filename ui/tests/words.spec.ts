/** Finding by words: what was understood is said, slips are met, and what matches is marked. */
import { expect, test } from './test';

interface Found {
  total: number;
  results: { id: string; title: string | null; description: string | null }[];
}

/** A word of letters that some pictures have, and not all. */
async function someWord(server: { get<T>(path: string): Promise<T> }): Promise<string> {
  const { items } = await server.get<{ items: { description: string | null }[] }>('/media?limit=200');
  const words = new Map<string, number>();
  for (const { description } of items) {
    for (const word of new Set(description?.toLowerCase().match(/(?<![\p{L}\d])[a-z]{7,12}(?![\p{L}\d])/gu) ?? [])) words.set(word, (words.get(word) ?? 0) + 1);
  }
  const found = [...words].filter(([, count]) => count > 1 && count < items.length).sort((a, b) => b[1] - a[1])[0];
  if (!found) throw new Error('the made web says nothing twice');
  return found[0];
}

test('what was understood is said, and the words that were found are marked', async ({ page, server }) => {
  const word = await someWord(server);
  await page.goto('/search?view=list');
  await page.locator('[data-search]').fill(`${word} -qqqzzz`);
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-said]')).toHaveText(`Found with ${word}, not qqqzzz`);
  const mark = page.locator('.rows mark').first();
  await expect(mark).toBeVisible();
  await expect(page.locator('.rows li').first()).toContainText(/in (the title|a caption)/);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a slip finds what was meant, and says so', async ({ page, server }) => {
  const word = await someWord(server);
  const slip = word.slice(0, 2) + word[3] + word[2] + word.slice(4);
  const asked = await server.get<Found & { asked: { instead: { words: string[] }[] } }>(`/search?q=${slip}`);
  test.skip(slip === word || !asked.asked.instead.some((one) => one.words.includes(word)), 'the slip is a word of its own here');
  await page.goto(`/search?view=list&q=${slip}`);
  await expect(page.locator('[data-instead]')).toContainText(word);
  await expect(page.locator('.rows li').first()).toBeVisible();
});

test('a likelier question is a link', async ({ page }) => {
  await page.route('**/api/v1/search*', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { asked: { did_you_mean: string | null } };
    if (new URL(route.request().url()).searchParams.get('q') === 'habrour') body.asked.did_you_mean = 'harbour';
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto('/search?q=habrour');
  await page.locator('[data-meant] a').click();
  await expect(page).toHaveURL(/q=harbour/);
  await expect(page.locator('[data-search]')).toHaveValue('harbour');
  // The question that the link asks may still be on its way.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('operators are explained in one place, and unknown ones are said', async ({ page }) => {
  await page.goto('/search');
  await page.getByText('What can be typed').click();
  for (const typed of ['+bridge', '~bridge', 'site:example.org', 'near:60.17,24.94,5', 'license:open']) {
    await expect(page.getByText(typed, { exact: true })).toBeVisible();
  }
  await page.goto('/search?q=colour:red+OR');
  await expect(page.locator('[data-note]').first()).toContainText('no operator colour');
  await page.goto('/search?q=near:nan,8,5');
  await expect(page.getByRole('alert')).toContainText('near:nan,8,5');
});

test('pages are asked for in the words too', async ({ page }) => {
  await page.goto('/search?q=kind:page');
  await expect(page.locator('.pages article').first()).toBeVisible();
  await expect(page.locator('[data-said]')).toHaveText('Found all pages');
});
