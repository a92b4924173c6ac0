import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab, signOut } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS, type HttpAnswer } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';
const INCLUDES = { 'rbac.authorization.platform.run/dependencies': '["reader"]' };
const MARKUP = '<b>Rita</b><script>document.title=1</script>';

let daemon: DaemonProcess;
let admin = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

function asAdmin(method: string, target: string, body?: object): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${admin}` };
  return daemon.send(method, target, { headers, ...(body && { body }) });
}

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

async function signIn(token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^User / }).waitFor();
}

async function changeUser(token: string): Promise<void> {
  await signOut(page);
  await signIn(token);
}

const region = (name: string) => page.getByRole('region', { name, exact: true }).first();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = () => page.getByRole('dialog');

async function makeToken(user: string): Promise<string> {
  await open('#/access');
  await press('New token');
  await dialog().getByLabel('User').selectOption(user);
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('dialog', { name: 'This token is shown only now' }).waitFor();
  return (await dialog().locator('code').textContent()) ?? '';
}

describe.skipIf(CHROMIUM === undefined)('access in the console', () => {
  let ritas = '';

  beforeAll(async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
    admin = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
    const rules = [
      { apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
      { apiGroups: ['plugin.platform.run'], resources: ['plugins'], verbs: ['list', 'watch'] },
    ];
    for (const [target, body] of [
      [`${ACCESS}/roles`, { metadata: { name: 'reader' }, rules }],
      [`${ACCESS}/roles`, { metadata: { name: 'outer', annotations: INCLUDES }, rules: [] }],
      [PERSONS, person('ann', { age: 30 })],
    ] as const)
      expect((await asAdmin('POST', target, body)).status).toBe(201);
    ({ context, page, followed } = await openTab());
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('#/access');
    await signIn(admin);
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('has users, who are made with a name for people', async () => {
    await open('#/access');
    await press('New user');
    await dialog().getByLabel('Name', { exact: true }).fill('admin');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => dialog().getByRole('alert').textContent()).toContain('already exists');
    await dialog().getByLabel('Name', { exact: true }).fill('rita');
    await dialog().getByLabel('Display name').fill(MARKUP);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await region('Users').getByRole('link', { name: 'rita' }).waitFor();
    expect(await region('Users').textContent()).toContain(MARKUP);
  });

  it('gives roles to users, and says what a user may do by which role', async () => {
    const rights = region('What may a user do?');
    await rights.getByLabel('User').selectOption('rita');
    await rights.getByText('No.').waitFor();
    await press('New role binding');
    await dialog().getByLabel('User').selectOption('rita');
    await dialog().getByLabel('Role', { exact: true }).selectOption('outer');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await rights.getByLabel('Model').selectOption('persons.demo.example.com');
    await rights.getByLabel('Verb').selectOption('list');
    await rights.getByText('Yes: the role “reader” allows it.').waitFor();
    await rights.getByLabel('Verb').selectOption('delete');
    await rights.getByText('No.').waitFor();
    expect(await lookAt(page, 'console-access')).toEqual([]);
    await rights.getByRole('link', { name: 'All rights of rita' }).click();
    const row = page.getByRole('row', { name: /^persons\.demo\.example\.com/ });
    await row.getByRole('link', { name: 'reader' }).waitFor();
    expect(await row.getByRole('img').count()).toBe(3);
    expect(await lookAt(page, 'console-user')).toEqual([]);
  });

  it('gives and takes roles by checkboxes, also out of a binding of several users', async () => {
    const binding = {
      metadata: { name: 'several' },
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: ['rita', 'admin'].map((name) => ({ kind: 'User', name })),
    };
    expect((await asAdmin('POST', `${ACCESS}/rolebindings`, binding)).status).toBe(201);
    const box = page.getByRole('checkbox', { name: 'reader', exact: true });
    await page.reload();
    await expect.poll(() => box.isChecked()).toBe(true);
    await box.click();
    await page.getByText('rita no longer has the role reader.').waitFor();
    const { subjects } = (await asAdmin('GET', `${ACCESS}/rolebindings/several`)).json();
    expect(subjects).toEqual([{ kind: 'User', name: 'admin' }]);
    expect((await asAdmin('DELETE', `${ACCESS}/rolebindings/several`)).status).toBe(200);
    await box.click();
    await page.getByText('rita has the role reader.').waitFor();
    await box.click();
    await expect
      .poll(async () => (await asAdmin('GET', `${ACCESS}/rolebindings`)).text)
      .not.toContain('"name":"reader"');
  });

  it('makes tokens, which are shown once, can be copied, and are kept nowhere', async () => {
    ritas = await makeToken('rita');
    expect(ritas).toMatch(/^xsvc_[0-9a-f]{20}_[\w-]{43}$/);
    await press('Copy: Token');
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ritas);
    expect(await lookAt(page, 'console-token')).toEqual([]);
    // Browsers may refuse, and pages that came over HTTP from elsewhere have no clipboard at all.
    for (const given of ['{ writeText: () => Promise.reject(new DOMException("no")) }', 'undefined']) {
      await page.evaluate(
        `Object.defineProperty(navigator, 'clipboard', { value: ${given}, configurable: true })`,
      );
      await press('Copy: Token');
      await page.getByText('The browser does not let the page copy.').waitFor();
    }
    await dialog().getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain(ritas);
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, location.href])');
    expect(kept).not.toContain(ritas);
    const answer = await daemon.send('GET', PERSONS, { headers: { authorization: `Bearer ${ritas}` } });
    expect(answer.status).toBe(200);
    expect(await region('Tokens').textContent()).toMatch(/rita\d+sin (29|30) days/);
  });

  it('offers only allowed actions', async () => {
    await changeUser(ritas);
    await open('#/plugins');
    await page.getByRole('button', { name: 'Disable' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Disable', disabled: false }).count()).toBe(0);
    expect(await page.getByText('You may not change plugins.').count()).toBeGreaterThan(0);
    const linksOf = (name: string) =>
      page.getByRole('navigation', { name, exact: true }).getByRole('link').allTextContents();
    expect([await linksOf('Overview'), await linksOf('Pages')]).toEqual([
      ['Overview'],
      ['Models', 'Plugins'],
    ]);
    await page.keyboard.press('Control+k');
    await dialog().waitFor();
    await page.keyboard.type('create');
    await dialog().getByText('No matches.').waitFor();
    await page.keyboard.press('Escape');
    await open('#/access');
    await page.getByText('may not list users').first().waitFor();
    expect(await page.getByRole('button', { name: /^New/ }).count()).toBe(0);
    await open('#/');
    await expect
      .poll(() =>
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('link', { name: 'Persons', exact: true }) })
          .getByRole('img')
          .getAttribute('aria-label'),
      )
      .toMatch(/of the last \d+ changes/);
    // The page of a plugin is for everybody who sees plugins, and reads with the rights of the user.
    expect(await page.getByRole('link', { name: 'Bookmarks by tag' }).count()).toBe(1);
    expect(await page.locator('a[href*="bookmarks"]').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await lookAt(page, 'console-overview-reader')).toEqual([]);
  });

  async function giveRita(rule: object): Promise<void> {
    await asAdmin('DELETE', `${ACCESS}/roles/passing`);
    const role = { metadata: { name: 'passing' }, rules: [rule] };
    expect((await asAdmin('POST', `${ACCESS}/roles`, role)).status).toBe(201);
    const binding = {
      metadata: { name: 'rita-passing' },
      roleRef: { kind: 'Role', name: 'passing' },
      subjects: [{ kind: 'User', name: 'rita' }],
    };
    expect((await asAdmin('POST', `${ACCESS}/rolebindings`, binding)).status).toBe(201);
    await page.reload();
  }
  const takeFromRita = async (): Promise<void> =>
    expect((await asAdmin('DELETE', `${ACCESS}/rolebindings/rita-passing`)).status).toBe(200);

  it('says so when something is refused in the middle of it, and offers it no more', async () => {
    await open('#/plugins');
    await giveRita({ apiGroups: ['plugin.platform.run'], resources: ['plugins'], verbs: ['patch'] });
    const button = page.getByRole('button', { name: 'Disable', disabled: false }).first();
    await button.click();
    await dialog().getByRole('button', { name: 'Disable' }).waitFor();
    await takeFromRita();
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').filter({ hasText: 'may not patch plugins' }).waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You may not change plugins.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Disable', disabled: false }).count()).toBe(0);
  });

  it('keeps the typed text when it is refused', async () => {
    await open('#/access');
    await giveRita({ apiGroups: ['access.platform.run'], resources: ['users'], verbs: ['list', 'create'] });
    await press('New user');
    await dialog().getByLabel('Name', { exact: true }).fill('otto');
    await takeFromRita();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByRole('alert').filter({ hasText: 'may not create users' }).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'New user', includeHidden: true }).count())
      .toBe(0);
    expect(await dialog().getByLabel('Name', { exact: true }).inputValue()).toBe('otto');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('marks the rights that may not be given to others, and keeps the edits', async () => {
    await giveRita({
      apiGroups: ['access.platform.run'],
      resources: ['users', 'roles', 'rolebindings', 'tokens'],
      verbs: ['list', 'get', 'create', 'update', 'patch'],
    });
    await open('#/access?role=reader');
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await box('delete persons').click();
    await press('Save');
    await page.getByRole('alert').filter({ hasText: 'which "rita" does not have' }).waitFor();
    expect(await box('delete persons').getAttribute('aria-invalid')).toBe('true');
    expect(await box('get persons').getAttribute('aria-invalid')).toBeNull();
    expect(await lookAt(page, 'console-role-refused')).toEqual([]);
    // Edits stay while another page is open.
    await open('#/access');
    await page.goBack();
    await page.getByText('1 change', { exact: true }).waitFor();
    const rules = (await asAdmin('GET', `${ACCESS}/roles/reader`)).json().rules as object[];
    await asAdmin('PUT', `${ACCESS}/roles/reader`, {
      metadata: { name: 'reader' },
      rules: [...rules, rules[0]],
    });
    await press('Discard changes');
    await press('Undo');
    await page.getByText('1 change', { exact: true }).waitFor();
    await press('Discard changes');
    await takeFromRita();
  });

  it('revokes tokens and deletes users, after asking', async () => {
    await changeUser(admin);
    await open('#/access');
    const row = region('Tokens').getByRole('row').filter({ hasText: 'rita' });
    await row.getByRole('button', { name: /^Revoke / }).click();
    await dialog().getByText('Requests with it are rejected immediately.').waitFor();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => row.count()).toBe(0);
    const refused = await daemon.send('GET', PERSONS, { headers: { authorization: `Bearer ${ritas}` } });
    expect(refused.status).toBe(401);
    await page.getByRole('button', { name: 'Delete rita', exact: true }).click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => region('Users').getByRole('link', { name: 'rita' }).count()).toBe(0);
    expect((await asAdmin('GET', `${ACCESS}/users/rita`)).status).toBe(404);
    // The service keeps the last admin.
    await page.getByRole('button', { name: 'Delete admin', exact: true }).first().click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('shows the writer of each change on the overview', async () => {
    await open('#/');
    const made = await asAdmin('POST', PERSONS, person('by-whom', {}));
    expect(made.status).toBe(201);
    const recent = page.getByRole('region', { name: 'Recent changes' });
    await expect
      .poll(() => recent.getByRole('listitem').filter({ hasText: 'by-whom' }).textContent())
      .toMatch(/Created by admin/);
    expect(followed.complaints).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });
});
