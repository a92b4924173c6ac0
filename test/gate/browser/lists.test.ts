import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { person, PERSONS } from '../../helpers/http.js';
import { createPersons, JOURNEY, listOf, matching, PERSON_LIST, personAt, useJourneys } from './journeys.js';

const BOOKMARKS = '/apis/bookmark.example.com/v1alpha1/bookmarks';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NOTES = '/apis/journal.example.com/v1/notes';

/** A model whose objects are found by the words of their text. */
const NOTE_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'notes.journal.example.com',
    annotations: { 'xsvc.platform.run/search': '.spec.text' },
  },
  spec: {
    group: 'journal.example.com',
    scope: 'Cluster',
    names: { plural: 'notes', singular: 'note', kind: 'Note' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

const { journey } = useJourneys();

describe('a list in the console', () => {
  journey(
    'has an exact total, and pages that the URL names',
    async ({ page, daemon, open, press, rowNames }) => {
      await createPersons(daemon, 'paged', 25);
      await open(listOf('paged', { size: '10' }));
      await page.getByText(matching(25)).waitFor();
      expect(await rowNames()).toEqual(Array.from({ length: 10 }, (_, i) => `paged-0${i}`));
      await press('Next');
      await expect.poll(async () => (await rowNames())[0]).toBe('paged-10');
      expect(page.url()).toContain('page=2');
      await press('Previous');
      await expect.poll(async () => (await rowNames())[0]).toBe('paged-00');
    },
  );

  journey(
    'is walked by cursor where the URL has a limit',
    async ({ page, daemon, open, press, rowNames }) => {
      await createPersons(daemon, 'walked', 5);
      await open(listOf('walked', { limit: '2' }));
      await page.getByText('1–2 of 5').waitFor();
      await press('Next');
      await page.getByText('3–4 of 5').waitFor();
      expect(page.url()).toContain('continue=');
      expect(await rowNames()).toEqual(['walked-02', 'walked-03']);
      await press('Previous');
      await page.getByText('1–2 of 5').waitFor();
    },
  );

  journey('is sorted by the header of an indexed column', async ({ page, daemon, open, press, rowNames }) => {
    await createPersons(daemon, 'sorted', 3, (i) => ({ age: [20, 30, 10][i] }));
    await open(listOf('sorted'));
    await press('Years');
    await expect.poll(rowNames).toEqual(['sorted-02', 'sorted-00', 'sorted-01']);
    expect(page.url()).toMatch(/sort=spec\.age(%2C|,)asc/);
    await press('Years');
    await expect.poll(rowNames).toEqual(['sorted-01', 'sorted-00', 'sorted-02']);
    const header = page.getByRole('columnheader', { name: 'Years' });
    expect(await header.getAttribute('aria-sort')).toBe('descending');
  });

  journey(
    'is narrowed by selectors and a filter, which the URL keeps',
    async ({ page, daemon, open, press, rowNames }) => {
      await createPersons(daemon, 'narrowed', 12, (i) => ({ age: i }));
      await open(PERSON_LIST);
      await press('More filters');
      for (const [label, typed, count] of [
        ['Label selector', `${JOURNEY}=narrowed`, 12],
        ['Field selector', 'spec.age>8', 3],
        ['Filter', 'spec.age == 10', 1],
      ] as const) {
        const field = page.getByLabel(label, { exact: true });
        await field.fill(typed);
        await field.press('Enter');
        await page.getByText(matching(count)).waitFor();
      }
      expect(await rowNames()).toEqual(['narrowed-10']);
      await page.reload();
      await page.getByText(matching(1)).waitFor();
      expect(await page.getByLabel('Field selector').inputValue()).toBe('spec.age>8');
      await page.getByRole('button', { name: 'Remove Years is 10', exact: true }).click();
      await page.getByText(matching(3)).waitFor();
    },
  );

  journey('is searched by the beginning of names, which the URL keeps', async (walk) => {
    const { page, daemon, open, rowNames } = walk;
    await createPersons(daemon, 'begun', 3);
    await createPersons(daemon, 'begin', 2);
    await open(PERSON_LIST);
    const field = page.getByRole('searchbox', { name: 'Name begins with' });
    await page.getByRole('button', { name: 'More filters', expanded: false }).waitFor();
    await field.pressSequentially('Beg');
    await page.getByText(matching(5)).waitFor();
    await field.pressSequentially('un');
    await expect.poll(rowNames).toEqual(['begun-00', 'begun-01', 'begun-02']);
    // The rows are the same as those of "begu".
    await expect.poll(() => page.url()).toMatch(/\bbegun\b/);
    await page.reload();
    await page.getByText(matching(3)).waitFor();
    expect(await field.inputValue()).toBe('begun');
    // All that was typed is one step of the history.
    await page.goBack();
    await page.getByText(/^\d+ total$/).waitFor();
    expect(await field.inputValue()).toBe('');
  });

  journey('is searched by words, the best first, while the URL keeps them', async (walk) => {
    const { page, daemon, open, press, create, rowNames } = walk;
    await create(DEFINITIONS, NOTE_DEFINITION);
    await expect.poll(async () => (await daemon.get(NOTES)).status).toBe(200);
    const note = (name: string, text: string) => create(NOTES, { metadata: { name }, spec: { text } });
    await note('a', 'The disk is full of logs, and logs of logs');
    await note('b', 'Disk full');
    await note('c', 'Diskless');
    await open(NOTES.replace('/apis', '#/models'));
    const field = page.getByRole('searchbox', { name: 'Search texts' });
    await field.pressSequentially('full disk ');
    await expect.poll(rowNames).toEqual(['b', 'a']);
    await press('Columns');
    expect(await page.getByLabel('Sort by').locator('option:checked').textContent()).toBe(
      'Relevance (default)',
    );
    await page.keyboard.press('Escape');
    await note('d', 'A full disk');
    await expect.poll(rowNames).toEqual(['b', 'd', 'a']);
    await page.reload();
    await expect.poll(rowNames).toEqual(['b', 'd', 'a']);
    expect(await field.inputValue()).toBe('full disk ');
    await field.fill('-disk');
    const alert = page.getByRole('search').getByRole('alert').filter({ hasText: 'only excluded words' });
    await alert.waitFor();
    expect(await rowNames()).toEqual(['b', 'd', 'a']);
    await open(PERSON_LIST);
    await page.getByRole('searchbox', { name: 'Name begins with' }).waitFor();
    expect(await field.count()).toBe(0);
  });

  journey('keeps its rows when a filter is wrong, and says so at the field', async (walk) => {
    const { page, daemon, open, press, rowNames } = walk;
    await createPersons(daemon, 'kept', 3, (i) => ({ age: i }));
    await open(listOf('kept'));
    await expect.poll(rowNames).toHaveLength(3);
    await press('More filters');
    const field = page.getByLabel('Filter', { exact: true });
    await field.fill('spec.age = 1');
    await field.press('Enter');
    const alert = page.getByRole('search').getByRole('alert').filter({ hasText: /\w/ });
    await alert.waitFor();
    expect(await rowNames()).toEqual(['kept-00', 'kept-01', 'kept-02']);
    await page.getByText(matching(3)).waitFor();
    await page.getByText('These rows are from before the last change').waitFor();
    await field.fill('spec.age == 1');
    await field.press('Enter');
    await expect.poll(rowNames).toEqual(['kept-01']);
    expect(await alert.count()).toBe(0);
  });

  journey('has links to e-mail addresses and URLs', async ({ page, daemon, open, press, create }) => {
    await createPersons(daemon, 'mailed', 1, () => ({ email: 'mailed@example.com' }));
    await open(listOf('mailed'));
    await press('Columns');
    await page.getByRole('checkbox', { name: 'Email' }).check();
    await page.keyboard.press('Escape');
    const mail = page.getByRole('link', { name: 'mailed@example.com' });
    expect(await mail.getAttribute('href')).toBe('mailto:mailed@example.com');
    const urls = { linked: 'https://example.com/a', script: 'javascript:window.broken=1//' };
    for (const [name, url] of Object.entries(urls))
      await create(BOOKMARKS, { metadata: { name }, spec: { url } });
    await open('#/models/bookmark.example.com/v1alpha1/bookmarks');
    await page.getByRole('cell', { name: urls.script }).waitFor();
    expect(await page.getByRole('link', { name: urls.script }).count()).toBe(0);
    const link = page.getByRole('link', { name: urls.linked });
    expect(await link.getAttribute('href')).toBe(urls.linked);
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
  });

  journey('shows an error at its field, and keeps typed text', async ({ page, open, press }) => {
    await open(PERSON_LIST);
    await press('More filters');
    const field = page.getByLabel('Field selector', { exact: true });
    await field.fill('spec.agee=3');
    await field.press('Enter');
    const alert = page.getByRole('search').getByRole('alert').filter({ hasText: /\w/ });
    await expect.poll(() => alert.textContent()).toContain('field "spec.agee" is not indexed');
    expect(await field.inputValue()).toBe('spec.agee=3');
  });

  journey('is narrowed by a condition that is chosen, changed and removed by keyboard', async (walk) => {
    const { page, daemon, open, button, rowNames } = walk;
    await createPersons(daemon, 'chosen-by', 4, (i) => ({ age: i * 10 }));
    await open(listOf('chosen-by'));
    await page.getByText(matching(4)).waitFor();
    await button('+ Filter').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox', { name: 'Find a field' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('years');
    await page.keyboard.press('Enter');
    await page.getByLabel('Operator').selectOption('at least');
    await page.getByLabel('Value', { exact: true }).fill('20');
    await page.keyboard.press('Enter');
    await expect.poll(rowNames).toEqual(['chosen-by-02', 'chosen-by-03']);
    expect(new URLSearchParams(page.url().split('?')[1]).get('fieldSelector')).toBe('spec.age>=20');
    await page.getByRole('button', { name: 'Years at least 20', exact: true }).press('Enter');
    await page.getByLabel('Value', { exact: true }).fill('30');
    await page.keyboard.press('Enter');
    await expect.poll(rowNames).toEqual(['chosen-by-03']);
    await page.getByRole('button', { name: 'Remove Years at least 30', exact: true }).press('Delete');
    await page.getByText(matching(4)).waitFor();
    await page
      .locator(':focus')
      .and(page.getByRole('button', { name: /^Remove / }))
      .waitFor();
  });

  journey(
    'counts values, and is narrowed when one is pressed',
    async ({ page, daemon, open, press, region }) => {
      await createPersons(daemon, 'counted', 7, (i) => ({ gender: i < 3 ? 'MALE' : 'FEMALE' }));
      await open(listOf('counted'));
      await press('Values');
      await region('Gender').getByRole('button', { name: 'FEMALE 4', exact: true }).waitFor();
      await region('Gender').getByRole('button', { name: 'MALE 3', exact: true }).click();
      await page.getByText(matching(3)).waitFor();
      expect(new URLSearchParams(page.url().split('?')[1]).get('fieldSelector')).toBe('spec.gender=MALE');
    },
  );

  journey('is explained', async ({ page, daemon, open, press, region }) => {
    await createPersons(daemon, 'explained', 4, (i) => ({ age: i }));
    await open(listOf('explained', { filter: 'spec.age > 1', sort: 'spec.age,desc' }));
    await press('Explain');
    const steps = region('Explain').getByRole('list', { name: 'Query plan' });
    await expect.poll(() => steps.textContent()).toMatch(/Conditions.*spec\.age > 1.*Exact total2.*Order/);
    const [first, second] = await Promise.all([0, 1].map((i) => steps.locator('> li').nth(i).boundingBox()));
    expect([first?.y, (first?.x ?? 0) < (second?.x ?? 0)]).toEqual([second?.y, true]);
    expect(page.url()).toContain('explain=true');
  });

  journey(
    'follows changes, on its current page',
    async ({ page, daemon, open, rowNames, create, change }) => {
      await createPersons(daemon, 'live', 8);
      await open(listOf('live', { size: '3', page: '2' }));
      await expect.poll(rowNames).toEqual(['live-03', 'live-04', 'live-05']);
      await create(PERSONS, person('live-000', {}, { labels: { [JOURNEY]: 'live' } }));
      await page.getByText(matching(9)).waitFor();
      await expect.poll(rowNames).toEqual(['live-02', 'live-03', 'live-04']);
      await change(personAt('live-03'), { spec: { name: 'Renamed Meanwhile' } });
      await page.getByRole('cell', { name: 'Renamed Meanwhile' }).waitFor();
      await daemon.send('DELETE', personAt('live-000'));
      await page.getByText(matching(8)).waitFor();
    },
  );

  journey('gives labels to all that matches', async ({ page, daemon, open, press, objectAt }) => {
    await createPersons(daemon, 'labelled', 12);
    await open(listOf('labelled', { size: '5' }));
    await page.getByText(matching(12)).waitFor();
    await page.getByLabel('Select all rows of this page').check();
    await press('Select all 12');
    await press('Labels');
    await page.getByLabel('Key 1').fill('example.com/given');
    await page.getByLabel('Value 1').fill('not a value!');
    await press('Apply');
    const alert = page.getByRole('dialog').getByRole('alert');
    await expect.poll(() => alert.textContent()).toContain('example.com/given');
    await page.getByLabel('Value 1').fill('yes');
    await press('Apply');
    await page.getByText('Labels of 12 changed').waitFor();
    expect((await objectAt(personAt('labelled-11'))).metadata['labels']).toMatchObject({
      'example.com/given': 'yes',
    });
  });

  journey(
    'deletes chosen objects after a confirmation',
    async ({ page, daemon, open, press, dialog, rowNames }) => {
      await createPersons(daemon, 'bulk', 3);
      await open(listOf('bulk'));
      for (const name of ['bulk-00', 'bulk-02'])
        await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
      await press('Delete');
      const asked = dialog('Delete 2 persons?');
      await asked.getByRole('button', { name: 'Cancel' }).click();
      expect((await daemon.get(personAt('bulk-00'))).status).toBe(200);
      await press('Delete');
      await asked.getByRole('button', { name: 'Delete' }).click();
      await page.getByText(matching(1)).waitFor();
      expect(await rowNames()).toEqual(['bulk-01']);
    },
  );

  journey('is saved as a file, all pages of it', async ({ page, daemon, open, press }) => {
    await createPersons(daemon, 'saved', 12, (i) => ({ name: i === 3 ? '=1+1,"x"' : 'Plain' }));
    await open(listOf('saved', { size: '5' }));
    await page.getByText(matching(12)).waitFor();
    await press('Export');
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^persons\.demo\.example\.com-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(13);
    // A cell that a spreadsheet would run is text.
    expect(lines[4]).toMatch(/^saved-03,"'=1\+1,""x""",/);
  });

  journey('is saved as a file with only the chosen objects, and with times instead of ages', async (walk) => {
    const { page, daemon, open, press } = walk;
    await createPersons(daemon, 'chosen', 3);
    await open(listOf('chosen'));
    for (const name of ['chosen-00', 'chosen-02'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await press('Export selected');
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const [head = [], ...rows] = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(rows.map(([name]) => name)).toEqual(['chosen-00', 'chosen-02']);
    const created = head.indexOf('Created');
    for (const row of rows) expect(row[created]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});
