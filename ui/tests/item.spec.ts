/** One picture: what people say of it stays. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, mapReady, test } from './test';

interface Short {
  id: string;
  title: string | null;
  location: { lat: number; lon: number; source: string; verified: boolean } | null;
}
type List = { items: Short[] };

test('a pin that is dragged stays where it was put', async ({ page, server }) => {
  const { items } = await server.get<List>('/media?located=true&verified=false&kind=image&limit=1');
  const item = items[0];
  if (!item?.location) throw new Error('the made web has located pictures');
  await page.goto(`/media/${item.id}`);
  await mapReady(page);
  const pin = page.locator('.pin');
  await expect(pin).toBeVisible();
  await pin.scrollIntoViewIfNeeded();
  const box = await pin.boundingBox();
  if (!box) throw new Error('the pin is on the page');
  await page.mouse.move(box.x + box.width / 2, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 70, box.y - 20, { steps: 6 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Save this place' }).click();
  await expect(page.getByText('A person set it')).toBeVisible();
  const after = await server.get<Short>(`/media/${item.id}`);
  expect(after.location?.source).toBe('person');
  expect(Math.hypot(after.location!.lat - item.location.lat, after.location!.lon - item.location.lon)).toBeGreaterThan(0.0005);
  await page.reload();
  await expect(page.getByText('A person set it')).toBeVisible();
  await page.getByRole('button', { name: 'Take back' }).click();
  await expect(page.getByText('A person set it')).toHaveCount(0);
});

test('a place is set by its name and by coordinates', async ({ page, server }) => {
  const { items } = await server.get<List>('/media?located=true&verified=false&kind=image&limit=2');
  await page.goto(`/media/${items[1]?.id}`);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const box = page.getByLabel('Place name or coordinates');
  await box.fill('qqqzzz');
  await box.press('Enter');
  await expect(page.getByText('Choose one of the suggestions')).toBeVisible();
  await box.fill('Kiel');
  await page.getByRole('option', { name: /^Kiel/ }).first().click();
  await expect(page.getByRole('button', { name: 'Save this place' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByLabel('Place name or coordinates').fill('62.6012, 29.7632');
  await page.getByLabel('Place name or coordinates').press('Enter');
  await page.getByRole('button', { name: 'Save this place' }).click();
  await expect(page.getByText('A person set it')).toBeVisible();
  const after = await server.get<Short>(`/media/${items[1]?.id}`);
  expect(after.location?.lat).toBeCloseTo(62.6012, 3);
});

test('text that looks like a program is text', async ({ page, server }) => {
  const { items } = await server.get<List>('/media?kind=image&located=true&limit=3');
  await page.goto(`/media/${items[2]?.id}`);
  await page.getByRole('button', { name: 'Edit title and description' }).click();
  await page.getByLabel('Title').fill('<script>alert(1)</script><img src=x onerror=alert(2)>');
  await page.getByLabel('Description').fill('"><svg onload=alert(3)>');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<script>alert(1)</script><img src=x onerror=alert(2)>');
  for (const path of ['/gallery', '/search?q=alert&view=list', '/?q=alert']) {
    await page.goto(path);
    await expect(page.locator('img[alt*="<script>"]').first()).toBeAttached();
  }
  expect(await page.evaluate(() => document.querySelectorAll('script:not([src])').length)).toBe(0);
});

test('next and previous follow the list it was opened from', async ({ page }) => {
  await page.goto('/gallery?order=newest');
  await page.locator('.grid a').first().click();
  await expect(page.getByText(/^1 of/)).toBeVisible();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText(/^2 of/)).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText(/^1 of/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/gallery\?order=newest$/);
});

test('an item that is deleted is gone; what is forgotten never comes back', async ({ page, server }) => {
  const { items } = await server.get<List>('/media?kind=image&order=oldest&limit=2');
  const [one, other] = items;
  await page.goto(`/media/${one?.id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('A later crawl may find it again');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Deleted')).toBeVisible();
  await page.goto(`/media/${one?.id}`);
  await expect(page.getByText('This item is not in the library')).toBeVisible();

  await page.goto(`/media/${other?.id}`);
  await page.getByRole('button', { name: 'Forget …' }).click();
  await page.getByRole('dialog').getByRole('radio').first().check();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
  await expect(page.getByText(/^Forgotten:/)).toBeVisible();
  await page.goto(`/media/${other?.id}`);
  await expect(page.getByText('This item is not in the library')).toBeVisible();
});

test('an image that is gone shows a placeholder', async ({ page, server }) => {
  const { items } = await server.get<List>('/media?kind=image&limit=1');
  await page.route('**/file', (route) => route.fulfill({ status: 404, body: '' }));
  await page.route('**/thumbnail', (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(`/media/${items[0]?.id}`);
  await expect(page.getByText('The file is no longer there.')).toBeVisible();
  await page.goto('/gallery');
  await expect(page.locator('.grid .none').first()).toBeVisible();
});

test('films and sounds have players', async ({ page, server }) => {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-film-'));
  const made = join(folder, 'film.webm');
  const film = ['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=8:duration=2', '-c:v', 'libvpx', made];
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...film]);
  const upload = new FormData();
  upload.append('file', new Blob([new Uint8Array(await readFile(made))]), 'made-film.webm');
  await rm(folder, { recursive: true });
  const answer = await fetch(`${server.url}/api/v1/import`, { method: 'POST', body: upload });
  expect(answer.status).toBe(200);
  const { imported } = (await answer.json()) as { imported: string[] };
  const list = (kind: string) => server.get<{ items: (Short & { format: string })[] }>(`/media?kind=${kind}&limit=100`);
  const [films, sounds] = [(await list('video')).items, (await list('audio')).items];
  if (!sounds[0]) throw new Error('the made web has sounds');
  for (const [id, element] of [[imported[0], 'video'], [sounds[0].id, 'audio']] as const) {
    await page.goto(`/media/${id}`);
    const player = page.locator(element);
    await expect(player).toHaveAttribute('controls', '');
    await expect.poll(() => player.evaluate((one: HTMLMediaElement) => one.duration)).toBeGreaterThan(1);
  }
  // A film that browsers cannot play is not gone.
  const avi = films.find((item) => item.format === 'avi');
  if (!avi) throw new Error('the made web has films of old');
  await page.goto(`/media/${avi.id}`);
  await expect(page.getByText('This browser does not show AVI files.')).toBeVisible();
});
