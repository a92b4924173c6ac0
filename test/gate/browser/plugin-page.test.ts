import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { readDocuments, shownFiles } from '../../helpers/documents.js';
import { person, PERSONS } from '../../helpers/http.js';
import { useJourneys } from './journeys.js';

const PAGE = '/plugins/press/assets/persons.html';
const ROOT = new URL('../../..', import.meta.url).pathname;

const journeys = useJourneys(['--auth', 'token', '--plugin-origin', 'http://127.0.0.1:0']);
const { journey } = journeys;
let admin = '';
let origin = '';

async function asAdmin(method: string, target: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${admin}` };
  const { status, text } = await journeys.daemon.send(method, target, { headers, ...(body && { body }) });
  expect(status, text).toBeLessThan(300);
}

/** The page of the guide. */
function examplePage(): string {
  const shown = readDocuments(ROOT).flatMap(({ text }) => shownFiles(text));
  return shown.find((file) => file.path.endsWith('public/persons.html'))?.text ?? '';
}

beforeAll(() => {
  if (CHROMIUM === undefined) return;
  const { output, port } = journeys.daemon;
  admin = /shown only now: (\S+)/.exec(output.stdout)?.[1] ?? '';
  origin = /pages of plugins are at (http[^"]+)/.exec(output.stderr)?.[1] ?? '';
  const directory = path.join(journeys.directory, 'plugins/press/public');
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'persons.html'), examplePage().replace(':8090', `:${port}`));
});

describe('the example page of the guide', () => {
  journey('at the origin of plugins lists persons and follows changes', async ({ page, press }) => {
    await asAdmin('POST', PERSONS, person('page-ann', { name: 'Ann' }));
    await page.goto(origin + PAGE);
    await press('Show');
    await expect
      .poll(() => page.getByRole('status').textContent())
      .toContain('the request has no credentials');
    await page.getByLabel('Token').fill(admin);
    await press('Show');
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Following changes');
    const rows = page.getByRole('listitem');
    expect(await rows.allTextContents()).toContain('page-ann: Ann');
    await asAdmin('POST', PERSONS, person('page-bob', { name: 'Bob' }));
    await expect.poll(() => rows.allTextContents()).toContain('page-bob: Bob');
    await asAdmin('DELETE', `${PERSONS}/page-ann`);
    await expect.poll(() => rows.allTextContents()).not.toContain('page-ann: Ann');
  });

  journey('in the sandbox of the service reads nothing', async ({ page, press, followed }) => {
    await page.goto(journeys.daemon.url + PAGE);
    await page.getByLabel('Token').fill(admin);
    await press('Show');
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Failed to fetch');
    expect(await page.evaluate('origin')).toBe('null');
    expect(await page.getByRole('listitem').count()).toBe(0);
    expect(followed.complaints.splice(0).join()).toContain(
      "from origin 'null' has been blocked by CORS policy",
    );
  });
});
