import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { runProgram } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { PERSON_LIST, personAt, useJourneys } from './journeys.js';

const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';

const { journey } = useJourneys(['--webhook-allow', '127.0.0.1']);

describe('the console', () => {
  journey(
    'begins with an overview that follows events',
    async ({ page, daemon, open, create, region, objectAt }) => {
      await page.goto(daemon.url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).toBe(`${daemon.url}/console/`);
      const count = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: 'Persons', exact: true }) })
        .locator('.number');
      const total = async (): Promise<string> => String((await objectAt(`${PERSONS}?limit=1`))['total']);
      await expect.poll(() => count.textContent()).toBe(await total());
      await create(PERSONS, person('seen-on-overview', { name: 'Of the overview' }));
      await expect.poll(() => count.textContent()).toBe(await total());
      const recent = region('Recent changes');
      await expect
        .poll(() => recent.getByRole('listitem').first().textContent())
        .toMatch(/^Of the overview *Created.*Persons/);
      await expect.poll(() => region('Alerts').textContent()).toBe('No problems found.');
      await recent.getByRole('link', { name: 'Of the overview', exact: true }).click();
      await page.getByRole('heading', { name: 'seen-on-overview', exact: true }).waitFor();
      await open('#/models/x');
      await page.getByRole('heading', { name: 'Page not found.' }).waitFor();
    },
  );

  journey('downloads a backup that can be restored', async ({ page, open, press, region }) => {
    await open('#/');
    await region('Store').getByRole('button', { name: 'Back up' }).click();
    const saved = page.waitForEvent('download');
    await press('Download');
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/^xsvc-\d{4}-\d\d-\d\d\.backup$/);
    const directory = temporaryDirectory();
    const file = path.join(directory, 'it.backup');
    await download.saveAs(file);
    const restored = await runProgram(['restore', file, '--data-dir', path.join(directory, 'data')]);
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^restored \d+ objects/) as string,
    });
  });

  journey('shows models, and the effects of a restart', async ({ page, open, region }) => {
    await open('#/models');
    const row = page.getByRole('row').filter({ hasText: 'Person · demo.example.com' });
    await expect.poll(() => row.textContent()).toContain('v1alpha1');
    const restart = region('Preview of a restart');
    await restart.getByRole('button', { name: 'Preview' }).click();
    await restart.getByText('Nothing to do.').waitFor();
  });

  journey('stops and starts plugins', async ({ page, open }) => {
    await open('#/plugins');
    const row = page.getByRole('row').filter({ hasText: 'bookmark' });
    await row.getByRole('button', { name: 'Disable' }).click();
    const question = page.getByRole('dialog', { name: 'Disable bookmark?' });
    await question.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('DISABLED').waitFor();
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('STARTED').waitFor();
  });

  journey('shows controllers, and the leader', async ({ page, open }) => {
    await open('#/controllers');
    await expect.poll(() => page.getByRole('main').textContent()).toMatch(/Leader.*this process/);
    await page.getByRole('row').filter({ hasText: 'running' }).first().waitFor();
  });

  journey('shows webhooks, and sends again what they have given up', async (walk) => {
    const { page, open, create, press, region } = walk;
    let status = 500;
    const receiver = createServer((_req, res) => res.writeHead(status).end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/changes`;
      const models = [{ group: 'demo.example.com', kind: 'Person' }];
      const spec = { url, models, maxAttempts: 1, fieldSelector: 'metadata.name=sent' };
      await create(WEBHOOKS, { metadata: { name: 'listener' }, spec });
      await create(PERSONS, person('sent'));
      await open('#/webhooks');
      const row = page.getByRole('row').filter({ hasText: url });
      await expect.poll(() => row.textContent()).toMatch(/^listener.*Persons.*enabled0010*\d.*500/);
      await row.getByRole('link', { name: 'listener' }).click();
      const letters = region('Dead letters');
      await letters.getByRole('link', { name: 'sent', exact: true }).first().waitFor();
      status = 204;
      await press('Send dead letters again');
      await letters.getByText('None: no change was given up.').waitFor();
      await press('Send from a revision');
      await page.keyboard.type('0');
      await page.keyboard.press('Enter');
      await page.getByText('The changes will be sent again.').waitFor();
      await press('Disable');
      await letters.getByText('disabled').waitFor();
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  journey('draws metrics, with the same numbers as a table', async ({ page, open }) => {
    await open('#/metrics');
    await expect.poll(() => page.locator('.plot canvas').count()).toBe(7);
    await page.getByRole('img', { name: /^Memory: resident [\d.]+ MiB, heap [\d.]+ MiB/ }).waitFor();
    await page.getByText('Latest values').click();
    const headers = page.getByRole('table').getByRole('columnheader');
    await expect.poll(() => headers.allTextContents()).toContain('Response latency: mean');
    await page.getByText('1 hour').click();
    await expect.poll(() => page.getByRole('radio', { name: '1 hour' }).isChecked()).toBe(true);
  });

  journey('shows the values of all plots at the time under the pointer', async ({ page, open }) => {
    await open('#/metrics');
    const times = page.locator('.plot time');
    await page.locator('.plot canvas').first().waitFor();
    await expect
      .poll(async () => {
        // A plot has its first line after the second reading.
        await page.locator('.plot .u-over').first().hover();
        await page.mouse.move(0, 0);
        await page.locator('.plot .u-over').nth(3).hover();
        return times.count();
      })
      .toBe(7);
    const texts = await times.allTextContents();
    expect(new Set(texts).size).toBe(1);
    await page.mouse.move(0, 0);
    await expect.poll(() => times.count()).toBe(0);
  });

  journey('leads from a time of the metrics to the log of that time', async ({ page, open }) => {
    await open('#/metrics');
    const slider = page.getByRole('slider', { name: 'Point in time' });
    await slider.waitFor();
    // A plot has its first line after the second reading.
    const link = page.getByRole('link', { name: 'Log at this time' });
    await expect
      .poll(async () => {
        await page.locator('.plot .u-over').first().click();
        return link.isVisible();
      })
      .toBe(true);
    await page.getByRole('button', { name: 'Remove' }).click();
    await link.waitFor({ state: 'hidden' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await link.click();
    await page.getByRole('heading', { name: 'Log of the service' }).waitFor();
    expect(page.url()).toMatch(/#\/log\?from=20[\d-]+T[\d:.]+Z&to=20[\d-]+T[\d:.]+Z$/);
    await page.getByText(/From .* to /).waitFor();
    await open('#/log?from=2020-01-31T08:00:00Z&to=2020-01-31T08:01:00Z');
    await page.getByText('No lines from this time.').waitFor();
    await page.getByText('are not kept').waitFor();
    await page.getByRole('link', { name: 'All lines' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/log$/);
  });

  journey('plots the requests of chosen models', async ({ page, open, create }) => {
    await create(PERSONS, person('counted'));
    await open('#/metrics');
    const plot = page.getByRole('region', { name: 'Responses per second by model' });
    const persons = plot.getByRole('checkbox', { name: 'Persons', exact: true });
    await expect
      .poll(async () => {
        await create(PERSONS, person(`counted-${Date.now()}`));
        return persons.count();
      })
      .toBe(1);
    await persons.setChecked(false);
    await expect.poll(() => plot.locator('figcaption').textContent()).not.toContain('Persons');
    await persons.setChecked(true);
    await expect.poll(() => plot.locator('figcaption').textContent()).toContain('Persons');
  });

  journey('loads a part again that could not be loaded', async ({ page, open, followed }) => {
    await open('#/plugins');
    await page.route('**/metrics-page-*.js', (route) => route.abort('connectionreset'));
    await page.getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.getByText('A part of the page could not be loaded').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('link', { name: 'Plugins', exact: true }).click();
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await page.getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
    // Of the part that it did not get.
    expect(followed.complaints.every((one) => one.includes('metrics-page'))).toBe(true);
    followed.complaints.length = 0;
  });

  journey('finds pages and objects from the keyboard', async ({ page, open, create }) => {
    await create(PERSONS, person('found-by-palette'));
    await open('#/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    // At once: nothing is lost while the palette loads.
    await page.keyboard.type('found-by');
    const palette = page.getByRole('dialog', { name: 'Search' });
    await expect.poll(() => palette.locator('input').inputValue()).toBe('found-by');
    // The first match is selected a moment after it is displayed.
    await palette.locator('[role=menuitem][data-focused]', { hasText: 'found-by-palette' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'found-by-palette', exact: true }).waitFor();
    await palette.waitFor({ state: 'detached' });
  });

  journey('speaks the language that is chosen, and remembers it', async ({ page, open, press }) => {
    const spoken = (): Promise<string | null> => page.locator('html').getAttribute('lang');
    await open('#/plugins');
    await press('User');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await expect.poll(spoken).toBe('de');
    await page.reload();
    await expect.poll(spoken).toBe('de');
    await press('Benutzer');
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English');
    await expect.poll(spoken).toBe('en');
  });

  journey(
    'keeps typed text when the service does not answer',
    async ({ page, open, create, yaml, press, objectAt }) => {
      await create(PERSONS, person('unanswered', { age: 1 }));
      await open(`${PERSON_LIST}/unanswered/yaml`);
      await expect.poll(() => yaml.textContent()).toContain('age: 1');
      await yaml.fill('metadata:\n  name: unanswered\nspec:\n  name: Typed\n');
      await page.route('**/persons/unanswered?*', (route) =>
        route.request().method() === 'PUT' ? route.abort('connectionrefused') : route.continue(),
      );
      await press('Save');
      await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
      expect(await yaml.textContent()).toContain('name: Typed');
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await press('Save');
      await expect.poll(async () => (await objectAt(personAt('unanswered'))).spec['name']).toBe('Typed');
    },
  );
});

describe('beside the console', () => {
  journey(
    'the page of the API begins with what plugins add, and tries a request',
    async ({ page, daemon }) => {
      await page.goto(`${daemon.url}/swagger-ui.html`);
      const groups = page.locator('#select option');
      await expect.poll(() => groups.count()).toBe(7);
      await page.locator('.title', { hasText: 'Plugins API V1alpha1' }).waitFor();
      expect(await page.locator('#operations-tag-RoleV1alpha1').count()).toBe(0);
      await page.locator('#operations-tag-PersonV1alpha1').click();
      const operation = page.locator('#operations-PersonV1alpha1-ListPerson');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.try-out__btn').click();
      const answered = page.waitForResponse((response) => response.url().includes(PERSONS));
      await operation.locator('button.execute').click();
      expect((await answered).status()).toBe(200);
    },
  );

  journey('a page of another site writes nothing, and learns nothing about the objects', async (walk) => {
    const { page, followed, daemon, create, objectAt } = walk;
    await create(PERSONS, person('victim'));
    const pages = createServer((_req, res) =>
      res.setHeader('Content-Type', 'text/html').end('<!doctype html><body></body>'),
    );
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    try {
      await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
      const before = (await objectAt(PERSONS)).metadata['resourceVersion'];
      const target = JSON.stringify(daemon.url + PERSONS);
      const text = JSON.stringify(JSON.stringify(person('planted')));
      await page.evaluate(`(async () => {
        const send = (options) => fetch(${target}, { method: 'POST', ...options }).catch(() => undefined);
        await send({ mode: 'no-cors', body: ${text} });
        await send({ mode: 'no-cors', body: new Blob([${text}]) });
        await send({ headers: { 'Content-Type': 'application/json' }, body: ${text} });
        await fetch(${target} + '/victim', { method: 'DELETE' }).catch(() => undefined);
      })()`);
      expect(daemon.output.stderr).toContain('rejected a write of a web page');
      expect((await objectAt(PERSONS)).metadata['resourceVersion']).toBe(before);
      const seen = await page.evaluate<string[]>(`Promise.all(['victim', 'nobody'].map((name) =>
        new Promise((resolve) => {
          const shown = document.createElement('object');
          shown.data = ${target} + '/' + name;
          shown.onload = shown.onerror = ({ type }) => resolve(type);
          document.body.append(shown);
        })))`);
      expect(seen[0]).toBe(seen[1]);
      // The browser complains of what it does not show to the page.
      followed.complaints.length = 0;
    } finally {
      pages.close();
      pages.closeAllConnections();
    }
  });
});
