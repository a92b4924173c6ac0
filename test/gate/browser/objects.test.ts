import { describe, expect } from 'vitest';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, WRITERS } from '../../helpers/press.js';
import { PERSON_LIST, personAt, personText, useJourneys, type Journey } from './journeys.js';

const { journey } = useJourneys();

const ARTICLE_LIST = '#/models/press.example.com/v1/articles';
const WRITER_LIST = '#/models/press.example.com/v1/writers';

/** Creates a person, and opens its text. */
async function openText({ open, create, yaml }: Journey, name: string, spec: object): Promise<void> {
  await create(PERSONS, person(name, spec));
  await open(`${PERSON_LIST}/${name}/yaml`);
  await expect.poll(() => yaml.textContent()).toContain(`name: ${name}`);
}

describe('an object in the console', () => {
  journey('is shown, and follows its changes', async ({ page, open, create, change }) => {
    await create(PERSONS, person('shown', { age: 41, tags: ['one', 'two'], address: { city: 'Ulm' } }));
    await open(`${PERSON_LIST}/shown`);
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await expect.poll(() => field('Age').inputValue()).toBe('41');
    for (const [name, value] of [
      ['Tags 1', 'one'],
      ['Tags 2', 'two'],
      ['City', 'Ulm'],
    ] as const)
      expect(await field(name).inputValue()).toBe(value);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText(/^[\da-f]{8}-[\da-f-]{27}$/).waitFor();
    await expect.poll(() => page.title()).toBe('shown – Persons – xsvc');
    await change(personAt('shown'), { spec: { age: 42 } });
    await expect.poll(() => field('Age').inputValue()).toBe('42');
  });

  journey('leads to the objects that it refers to, by keyboard', async ({ page, open, create }) => {
    await create(WRITERS, { metadata: { name: 'referred' } });
    const spec = { writer: 'referred', owner: 'referred' };
    await create(ARTICLES, { metadata: { name: 'referring' }, spec });
    await open(`${ARTICLE_LIST}/referring`);
    const link = page.getByRole('link', { name: 'Open referred' }).first();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'referred', exact: true }).waitFor();
    expect(page.url()).toContain(`${WRITER_LIST}/referred`);
  });

  journey('is created from an example, as YAML', async ({ page, open, press, yaml, objectAt }) => {
    await open(PERSON_LIST);
    await press('Create');
    await page.getByRole('heading', { name: 'Create Person' }).waitFor();
    await page.getByRole('link', { name: 'YAML', exact: true }).click();
    await expect.poll(() => yaml.textContent()).toMatch(/kind: Person.*spec:/);
    await yaml.fill(personText('by-yaml', '  age: 3\n'));
    await press('Save');
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('spec.name');
    await yaml.fill(personText('by-yaml', '  name: By Yaml\n'));
    await press('Save');
    await page.getByRole('heading', { name: 'by-yaml', exact: true }).waitFor();
    expect((await objectAt(personAt('by-yaml'))).spec).toEqual({ name: 'By Yaml' });
  });

  journey('is created in a form', async ({ page, open, press, objectAt }) => {
    await open('#/create/demo.example.com/v1alpha1/persons/form');
    const field = (name: string) => page.getByRole('textbox', { name, exact: true }).first();
    // The model has a field `Name` itself.
    await field('Object name').fill('by-form');
    await field('Name').fill('By Form');
    await press('Save');
    await page.getByRole('heading', { name: 'by-form', exact: true }).waitFor();
    expect((await objectAt(personAt('by-form'))).spec['name']).toBe('By Form');
  });

  journey('is edited as YAML, with its differences shown before', async (walk) => {
    const { page, press, yaml, objectAt } = walk;
    await openText(walk, 'edited', { age: 1 });
    await yaml.fill(personText('edited', '  name: Edited\n  age: 2\n'));
    await press('Compare');
    const differences = page.getByRole('group', { name: 'Differences' });
    await expect.poll(() => differences.textContent()).toMatch(/- +age: 1\n[^]*\+ +age: 2/);
    await press('Save');
    await expect
      .poll(async () => (await objectAt(personAt('edited'))).spec)
      .toEqual({ name: 'Edited', age: 2 });
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).isDisabled()).toBe(true);
  });

  journey('is not saved while the service refuses it, and each field is named', async (walk) => {
    const { page, press, yaml, objectAt } = walk;
    await openText(walk, 'refused', { age: 1 });
    await yaml.fill(personText('refused', '  name: Refused\n  age: -4\n  agee: 3\n'));
    await press('Save');
    const alert = page.getByRole('alert').filter({ hasText: 'refuses' });
    await expect.poll(() => alert.textContent()).toMatch(/spec\.age .*spec\.agee .*age/);
    await expect.poll(() => page.locator('.cm-lint-marker-error').count()).toBe(2);
    expect(await yaml.textContent()).toContain('age: -4');
    expect((await objectAt(personAt('refused'))).spec['age']).toBe(1);
  });

  journey('is not saved while its text is no YAML, and the line is named', async (walk) => {
    const { page, press, yaml, objectAt } = walk;
    await openText(walk, 'unread', { age: 1 });
    await yaml.fill(personText('unread', '  name: "open\n'));
    await press('Save');
    await expect.poll(() => page.getByRole('alert').first().textContent()).toMatch(/not valid YAML.*Line 7/);
    expect((await objectAt(personAt('unread'))).metadata['generation']).toBe(1);
  });

  journey(
    'is edited in a form, which says at the field what is refused',
    async ({ page, open, create, press, objectAt }) => {
      await create(PERSONS, person('in-form', { age: 5 }));
      await open(`${PERSON_LIST}/in-form/form`);
      const field = (name: string) =>
        page.getByRole('group', { name: 'Form', exact: true }).getByRole('textbox', { name, exact: true });
      await field('Age').fill('-4');
      await field('City').fill('Ulm');
      await press('Save');
      await expect.poll(() => field('Age').getAttribute('aria-invalid')).toBe('true');
      expect(await field('City').inputValue()).toBe('Ulm');
      await field('Age').fill('4');
      await press('Save');
      await expect
        .poll(async () => (await objectAt(personAt('in-form'))).spec)
        .toMatchObject({ age: 4, address: { city: 'Ulm' } });
    },
  );

  journey('shows both sides of a conflict, and merges changes that do not overlap', async (walk) => {
    const { page, press, yaml, change, objectAt } = walk;
    await openText(walk, 'disputed', { age: 1, email: 'a@example.com' });
    await yaml.fill(personText('disputed', '  name: Mine\n  age: 1\n  email: a@example.com\n'));
    await change(personAt('disputed'), { metadata: { labels: { 'example.com/by': 'others' } } });
    await page.getByText('was changed while you were editing it').waitFor();
    await press('Save');
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await expect.poll(() => conflict.textContent()).toMatch(/metadata\.labels.*spec\.name/s);
    await conflict.getByText('Both texts').click();
    await expect.poll(() => conflict.textContent()).toMatch(/\+ *example\.com\/by: others.*\+ *name: Mine/s);
    expect(await yaml.textContent()).toContain('name: Mine');
    await press('Save merged');
    await expect
      .poll(async () => {
        const { metadata, spec } = await objectAt(personAt('disputed'));
        return [metadata['labels'], spec['name']];
      })
      .toEqual([{ 'example.com/by': 'others' }, 'Mine']);
  });

  journey('keeps typed text while another page is open, and says so at the model', async (walk) => {
    const { page, yaml, press } = walk;
    await openText(walk, 'drafted', { age: 1 });
    const unsaved = page
      .getByRole('navigation', { name: 'Models' })
      .getByRole('link', { name: /^Persons/, description: 'Unsaved changes' });
    expect(await unsaved.count()).toBe(0);
    await yaml.fill(personText('drafted', '  name: Half Done\n'));
    await unsaved.waitFor();
    await page.getByRole('link', { name: 'Plugins', exact: true }).click();
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await unsaved.waitFor();
    await page.goBack();
    await expect.poll(() => yaml.textContent()).toContain('name: Half Done');
    await press('Discard changes');
    await expect.poll(() => yaml.textContent()).toContain('age: 1');
    await unsaved.waitFor({ state: 'detached' });
  });

  journey('restores typed text when its discarding is undone', async (walk) => {
    const { yaml, press } = walk;
    await openText(walk, 'discarded', { age: 1 });
    await yaml.fill(personText('discarded', '  name: Half Done\n'));
    await press('Discard changes');
    await expect.poll(() => yaml.textContent()).toContain('age: 1');
    await press('Undo');
    await expect.poll(() => yaml.textContent()).toContain('name: Half Done');
    await press('Discard changes');
  });

  journey(
    'has a history, and undoes the last change',
    async ({ page, open, create, change, press, dialog, objectAt }) => {
      await create(PERSONS, person('undone', { name: 'Before' }));
      await change(personAt('undone'), { spec: { name: 'After' } });
      await open(`${PERSON_LIST}/undone/history`);
      await expect.poll(() => page.locator('.timeline > li').count()).toBe(2);
      await press('Undo');
      const asked = dialog('Undo the last change?');
      await expect.poll(() => asked.textContent()).toContain('"name": "Before"');
      await asked.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await objectAt(personAt('undone'))).spec['name']).toBe('Before');
    },
  );

  journey('is brought back after it was deleted', async ({ page, daemon, open, create, press, dialog }) => {
    await create(PERSONS, person('deleted'));
    await open(`${PERSON_LIST}/deleted`);
    await press('Delete');
    await dialog('Delete Name of deleted?').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'persons' }).waitFor();
    expect((await daemon.get(personAt('deleted'))).status).toBe(404);
    await open(`${PERSON_LIST}/deleted/history`);
    await page.getByText('This object was deleted.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await daemon.get(personAt('deleted'))).status).toBe(200);
  });

  journey(
    'shows before its deletion which objects are deleted with it, and afterwards which block it',
    async ({ page, open, create, change, press, dialog, daemon }) => {
      const finalizers = ['press.example.com/archive'];
      await create(WRITERS, { metadata: { name: 'leaving', finalizers }, spec: {} });
      await create(ARTICLES, { metadata: { name: 'owned' }, spec: { owner: 'leaving', editor: 'leaving' } });
      await open(`${WRITER_LIST}/leaving`);
      await press('Delete');
      const asked = dialog('Delete leaving?');
      await expect
        .poll(() => asked.textContent())
        .toMatch(/1 Articles Owner: ownedThey are deleted.*1 Articles Editor: ownedThey lose.*archive/);
      await asked.getByRole('button', { name: 'Delete' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'Being deleted since' });
      await expect.poll(() => notice.textContent()).toContain('archive');
      await change(`${WRITERS}/leaving`, { metadata: { finalizers: null } });
      await page.getByText('This object was deleted.').waitFor();
      expect((await daemon.get(`${WRITERS}/leaving`)).status).toBe(404);
    },
  );

  journey(
    'leads to what it refers to, and is not deleted while it is needed',
    async ({ page, open, create, press, dialog, region }) => {
      await create(WRITERS, { metadata: { name: 'needed' }, spec: {} });
      await create(ARTICLES, { metadata: { name: 'needing' }, spec: { writer: 'needed' } });
      await open(`${ARTICLE_LIST}/needing/related`);
      await region('Refers to').getByRole('link', { name: 'needed' }).click();
      await page.getByRole('heading', { name: 'needed', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Related' }).click();
      await expect.poll(() => region('Referred to by').textContent()).toMatch(/Articles Writer 1.*needing/);
      await press('Delete');
      const asked = dialog('Delete needed?');
      await asked.getByText('Other objects refer to it, and prevent its deletion.').waitFor();
      expect(await asked.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
      await asked.getByRole('link', { name: 'needing' }).click();
      await page.getByRole('heading', { name: 'needing', exact: true }).waitFor();
    },
  );

  journey('shows markup as the text that it is', async ({ page, open, create, yaml }) => {
    const evil = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';
    const annotations = { 'example.com/note': evil };
    await create(PERSONS, person('hostile', { name: evil.slice(0, 64), tags: [evil] }, { annotations }));
    for (const view of ['', '/yaml', '/history', '/related', '/status', '/api']) {
      await open(`${PERSON_LIST}/hostile${view}`);
      await page.getByRole('heading', { name: 'hostile', exact: true }).waitFor();
      if (view === '/yaml') await expect.poll(() => yaml.textContent()).toContain('onerror');
    }
    await open(`${PERSON_LIST}?filter=${encodeURIComponent('metadata.name == "hostile"')}`);
    await page.getByRole('cell', { name: '<img src=x' }).first().waitFor();
    await open(`${PERSON_LIST}?labelSelector=${encodeURIComponent(evil)}`);
    await page.getByRole('search').getByRole('alert').filter({ hasText: 'labelSelector' }).waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });
});
