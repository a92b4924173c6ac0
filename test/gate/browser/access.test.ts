import path from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { runProgram } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { PERSON_LIST, useJourneys, type Journey } from './journeys.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';

const journeys = useJourneys(['--auth', 'token']);
const { journey } = journeys;
let admin = '';
let reader = '';
let builder = '';

async function asAdmin(method: string, target: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${admin}` };
  const { status, text } = await journeys.daemon.send(method, target, { headers, ...(body && { body }) });
  expect(status, text).toBeLessThan(300);
}

async function signIn({ page, press }: Journey, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await press('Sign in');
}

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  admin = /shown only now: (\S+)/.exec(journeys.daemon.output.stdout)?.[1] ?? '';
  await asAdmin('POST', PERSONS, person('ann', { age: 30 }));
  const rules = [
    {
      apiGroups: ['demo.example.com'],
      resources: ['persons', 'persons/history'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
  ];
  await asAdmin('POST', `${ACCESS}/roles`, { metadata: { name: 'reader' }, rules });
  reader = await tokenOf('rita', 'reader');
  const build = [
    { apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['get', 'list', 'watch', 'create'] },
    { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
  ];
  await asAdmin('POST', `${ACCESS}/roles`, { metadata: { name: 'build' }, rules: build });
  builder = await tokenOf('builder', 'build');
});

async function tokenOf(user: string, role: string): Promise<string> {
  const flags = ['--user', user, '--role', role, '--data-dir', path.join(journeys.directory, 'data')];
  const { stdout } = await runProgram(['token', 'create', ...flags]);
  return stdout.trim().split(/\s+/).at(-1) ?? '';
}

describe('the console of a service that asks for tokens', () => {
  journey(
    'asks for a token, says when it is not known, and keeps a good one in its tab alone',
    async (walk) => {
      const { page, open, press } = walk;
      await open(`${PERSON_LIST}/ann`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await signIn(walk, 'nonsense');
      await expect.poll(() => page.getByRole('alert').textContent()).toBe('Invalid or revoked token.');
      await signIn(walk, admin);
      await page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
      expect(page.url()).not.toContain(admin);
      expect(await page.evaluate('localStorage.length')).toBe(0);
      const other = await page.context().newPage();
      await other.goto(`${journeys.daemon.url}/console/`);
      await other.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.getByRole('button', { name: 'User admin' }).click();
      await press('Sign out');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    },
  );

  journey('offers only permitted actions', async (walk) => {
    const { page, open, button } = walk;
    await open(`${PERSON_LIST}/ann`);
    await signIn(walk, reader);
    await page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Content' }).waitFor();
    await page.getByText('You may not read events.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await expect.poll(() => pages.allTextContents()).toEqual(['Models']);
    for (const name of ['Edit', 'Delete']) await expect.poll(() => button(name).count()).toBe(0);
    await open(PERSON_LIST);
    await page.getByRole('link', { name: 'ann', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select ann', exact: true }).check();
    await button('Export selected').waitFor();
    for (const name of ['Create', 'Delete', 'Labels', 'Edit fields'])
      expect(await button(name).count()).toBe(0);
    await open(`${PERSON_LIST}/ann/yaml`);
    await page.getByText('You may view this object, but not change it.').waitFor();
  });

  journey(
    'creates objects for a user with no other right, and says what that user may not read',
    async (walk) => {
      const { page, open, press, yaml } = walk;
      await open('#/create/demo.example.com/v1alpha1/persons/yaml');
      await signIn(walk, builder);
      await expect.poll(() => yaml.textContent()).toMatch(/kind: Person.*For example:/);
      await yaml.fill('metadata:\n  name: built\nspec:\n  name: Built\n');
      await press('Save');
      await page.getByRole('heading', { name: 'built', exact: true }).waitFor();
      await open(`${PERSON_LIST}/built/related`);
      await page.getByText('You may not read what refers to objects.').waitFor();
      await page.getByText('You may not read what objects own.').waitFor();
      await open(`${PERSON_LIST}/built/history`);
      await page.getByText('You may not read the history of this object.').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    },
  );

  journey(
    'makes users, bindings and tokens, which are shown once, and says what a user may do',
    async (walk) => {
      const { page, open, press, region, button } = walk;
      const asked = page.getByRole('dialog');
      await open('#/access');
      await signIn(walk, admin);
      await press('New user');
      await asked.getByLabel('Name', { exact: true }).fill('otto');
      await asked.getByRole('button', { name: 'Create' }).click();
      await region('users').first().getByRole('link', { name: 'otto' }).waitFor();
      await press('New role binding');
      await asked.getByLabel('User').selectOption('otto');
      await asked.getByLabel('Role').selectOption('reader');
      await asked.getByRole('button', { name: 'Create' }).click();
      await asked.waitFor({ state: 'detached' });
      const rights = region('What may a user do?').first();
      await rights.getByLabel('User').selectOption('otto');
      await rights
        .getByRole('cell', { name: /persons.* in demo\.example\.com/ })
        .first()
        .waitFor();
      await press('New token');
      await asked.getByLabel('User').selectOption('otto');
      await asked.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog', { name: 'This token is shown only now' }).waitFor();
      const token = (await asked.locator('code').textContent()) ?? '';
      expect(token).toMatch(/^xsvc_[0-9a-f]{20}_[\w-]{43}$/);
      const answer = await journeys.daemon.send('GET', PERSONS, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(200);
      await button('Close').click();
      expect(await page.content()).not.toContain(token);
    },
  );

  journey('keeps typed text when the token expires during input', async (walk) => {
    const { page, open, yaml, press } = walk;
    const flags = [
      '--user',
      'passing',
      '--role',
      'admin',
      '--data-dir',
      path.join(journeys.directory, 'data'),
    ];
    const { stdout } = await runProgram(['token', 'create', ...flags]);
    await asAdmin('POST', PERSONS, person('kept'));
    await open(`${PERSON_LIST}/kept/yaml`);
    await signIn(walk, stdout.trim().split(/\s+/).at(-1) ?? '');
    await expect.poll(() => yaml.textContent()).toContain('name: kept');
    await yaml.fill('metadata:\n  name: kept\nspec:\n  name: Typed Before\n');
    await asAdmin('DELETE', `${ACCESS}/users/passing`);
    await press('Save');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await signIn(walk, admin);
    await expect.poll(() => yaml.textContent()).toContain('Typed Before');
    await press('Save');
    await page.getByText('Saved.').waitFor();
  });
});
