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
    await page.getByRole('group', { name: 'Form', exact: true }).waitFor();
    await page.getByText('You may not read events.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link');
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

  journey('puts a user into a group, and gives the group a role, which the user then has', async (walk) => {
    const { page, open, press, region } = walk;
    await asAdmin('POST', `${ACCESS}/users`, { metadata: { name: 'gina' } });
    await open('#/access?user=gina');
    await signIn(walk, admin);
    const groups = region('Groups').first();
    await groups.getByRole('combobox', { name: 'New group' }).fill('Night Staff');
    await groups.getByRole('button', { name: 'Add', exact: true }).click();
    await groups.getByRole('link', { name: 'Night Staff' }).click();
    await page.getByRole('heading', { name: 'Night Staff' }).waitFor();
    await region('Members').first().getByRole('link', { name: 'gina' }).waitFor();
    await page.getByRole('checkbox', { name: 'reader', exact: true }).click();
    await page.getByText('Night Staff has the role reader.').waitFor();
    await region('Members').first().getByRole('link', { name: 'gina' }).click();
    const rights = region('What may this user do?').first();
    await rights.getByRole('row', { name: /^persons\.demo\.example\.com yes yes yes.*reader$/ }).waitFor();
    // The role is the group's, not the user's.
    expect(await page.getByRole('checkbox', { name: 'reader', exact: true }).isChecked()).toBe(false);
    await open('#/access');
    await region('Role bindings').first().getByRole('link', { name: 'Night Staff' }).waitFor();
    await press('New role binding');
    const asked = page.getByRole('dialog');
    await asked.getByLabel('Give the role to').selectOption('Group');
    await asked.getByLabel('Group', { exact: true }).fill('Day Staff');
    await asked.getByLabel('Role', { exact: true }).selectOption('build');
    await asked.getByRole('button', { name: 'Create' }).click();
    await region('Groups').first().getByRole('row', { name: 'Day Staff build 0' }).waitFor();
    await open('#/access?user=gina');
    await press('Remove Night Staff');
    await rights.getByText('Nothing: no role binding').waitFor();
  });

  journey(
    'makes users, bindings and tokens, which are shown once, and says what a user may do',
    async (walk) => {
      const { page, open, press, region } = walk;
      const asked = page.getByRole('dialog');
      await open('#/access');
      await signIn(walk, admin);
      await press('New user');
      await asked.getByLabel('Name', { exact: true }).fill('otto');
      await asked.getByRole('button', { name: 'Create' }).click();
      await region('Users').first().getByRole('link', { name: 'otto', exact: true }).click();
      await page.getByRole('heading', { name: 'otto', exact: true }).waitFor();
      const rights = region('What may this user do?').first();
      await rights.getByText('Nothing: no role binding').waitFor();
      await page.getByRole('checkbox', { name: 'reader', exact: true }).click();
      await page.getByText('otto has the role reader.').waitFor();
      await rights.getByRole('row', { name: /^persons\.demo\.example\.com yes yes yes.*reader$/ }).waitFor();
      await press('New token');
      await asked.getByLabel('Expires').selectOption('never');
      await asked.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('dialog', { name: 'This token is shown only now' }).waitFor();
      const token = (await asked.locator('code').textContent()) ?? '';
      expect(token).toMatch(/^xsvc_[0-9a-f]{20}_[\w-]{43}$/);
      const answer = await journeys.daemon.send('GET', PERSONS, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(200);
      await asked.getByRole('button', { name: 'Close' }).click();
      expect(await page.content()).not.toContain(token);
      await page.getByRole('row', { name: /never Revoke/ }).waitFor();
    },
  );

  journey('makes a role by checkboxes, and leaves rules alone that have none', async (walk) => {
    const { page, open, press, button } = walk;
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    const rulesOf = async (name: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${admin}` };
      return (await journeys.daemon.send('GET', `${ACCESS}/roles/${name}`, { headers })).json().rules;
    };
    await open('#/access');
    await signIn(walk, admin);
    await page.getByRole('link', { name: 'New role', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('boxes');
    await box('get persons').click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await page.getByLabel('Path, which may end with *').fill('/version');
    await press('Add');
    await box('get /version').click();
    await press('Create');
    await page.getByRole('heading', { name: 'boxes', exact: true }).waitFor();
    const persons = { apiGroups: ['demo.example.com'], resources: ['persons'] };
    const path = { nonResourceURLs: ['/version'], verbs: ['get'] };
    expect(await rulesOf('boxes')).toEqual([{ ...persons, verbs: ['get', 'list'] }, path]);
    const strange = { ...persons, verbs: ['approve'] };
    await asAdmin('PUT', `${ACCESS}/roles/boxes`, {
      metadata: { name: 'boxes' },
      rules: [strange, { ...persons, verbs: ['get', 'list'] }, path],
    });
    await page.getByText('The table cannot show these rules.').waitFor();
    await box('watch persons').click();
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('No changes').waitFor();
    expect(await rulesOf('boxes')).toEqual([strange, { ...persons, verbs: ['get', 'list', 'watch'] }, path]);
    await box('all All models').click();
    await expect.poll(() => box('get bookmarks').getAttribute('aria-disabled')).toBe('true');
    await press('Discard changes');
    await expect.poll(() => button('Discard changes').count()).toBe(0);
  });

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
