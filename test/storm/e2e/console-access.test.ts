import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab, signOut } from '../../helpers/console.js';
import { runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROLES = '/apis/access.platform.run/v1alpha1/roles';
const LIST = '#/models/demo.example.com/v1alpha1/persons';

let daemon: DaemonProcess;
let dataDir = '';
let token = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

async function tokenOf(user: string, role: string): Promise<string> {
  const flags = ['token', 'create', '--user', user, '--role', role, '--data-dir', dataDir];
  const { stdout } = await runProgram(flags);
  return stdout.trim().split(/\s+/).at(-1) ?? '';
}

async function signIn(given: string): Promise<void> {
  await page.getByLabel('Token').fill(given);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe.skipIf(CHROMIUM === undefined)('the console of a service that asks for tokens', () => {
  beforeAll(async () => {
    dataDir = path.join(temporaryDirectory(), 'data');
    daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
    token = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}` };
    const made = await daemon.send('POST', PERSONS, { headers, body: person('ann', { age: 30 }) });
    expect(made.status).toBe(201);
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('loads without a token, asks for one, and says when it is not known', async () => {
    expect((await daemon.get('/console/')).status).toBe(200);
    await page.goto(`${daemon.url}/console/${LIST}/ann`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn('nonsense');
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('Invalid or revoked token.');
    expect(await lookAt(page, 'console-sign-in')).toEqual([]);
  });

  it('then shows what was opened, keeps the token in its tab, and nowhere else', async () => {
    await signIn(token);
    await page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'ann', exact: true }).waitFor();
    expect(page.url()).not.toContain(token);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    const other = await context.newPage();
    await other.goto(`${daemon.url}/console/`);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.close();
  });

  it('follows changes with the token', async () => {
    await page.goto(`${daemon.url}/console/${LIST}`);
    await page.getByText(/\d+ total/).waitFor();
    const body = person('bob', {});
    await daemon.send('POST', PERSONS, { headers: { authorization: `Bearer ${token}` }, body });
    await page.getByRole('link', { name: 'bob', exact: true }).waitFor();
  });

  it('keeps what was typed when the token ends in the middle of it', async () => {
    const passing = await tokenOf('passing', 'admin');
    await signOut(page);
    await signIn(passing);
    await page.goto(`${daemon.url}/console/${LIST}/bob/yaml`);
    const textbox = page.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => textbox.textContent()).toContain('name: bob');
    await textbox.fill('metadata:\n  name: bob\nspec:\n  name: Typed Before\n');
    const headers = { authorization: `Bearer ${token}` };
    const gone = await daemon.send('DELETE', '/apis/access.platform.run/v1alpha1/users/passing', { headers });
    expect(gone.status).toBe(200);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await signIn(token);
    await expect.poll(() => textbox.textContent()).toContain('Typed Before');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(`${daemon.url}/console/${LIST}/bob/history`);
    await expect.poll(() => page.getByRole('main').textContent()).toMatch(/Updated by admin.*Typed Before/);
  });

  it('keeps the typed text when a save is no longer allowed, and offers the save again later', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const rules = (verbs: string[]) => [
      {
        apiGroups: ['demo.example.com'],
        resources: ['persons', 'persons/history'],
        verbs: ['get', 'list', 'watch', ...verbs],
      },
      { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
    ];
    const allow = async (method: 'POST' | 'PATCH', verbs: string[]): Promise<void> => {
      const url = method === 'POST' ? ROLES : `${ROLES}/editing`;
      const body = { metadata: { name: 'editing' }, rules: rules(verbs) };
      const type = method === 'POST' ? 'application/json' : 'application/merge-patch+json';
      const { status } = await daemon.send(method, url, {
        headers: { ...headers, 'content-type': type },
        body,
      });
      expect(status).toBe(method === 'POST' ? 201 : 200);
    };
    await allow('POST', ['update']);
    const editing = await tokenOf('editor', 'editing');
    await signOut(page);
    await signIn(editing);
    await page.goto(`${daemon.url}/console/${LIST}/bob/yaml`);
    const textbox = page.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => textbox.textContent()).toContain('name: bob');
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await textbox.fill('metadata:\n  name: bob\nspec:\n  name: Typed While Allowed\n');
    await allow('PATCH', []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You may view this object, but not change it.').waitFor();
    await page.getByText('This could not be saved:').waitFor();
    expect(await textbox.textContent()).toContain('Typed While Allowed');
    await page.getByRole('link', { name: 'Form', exact: true }).click();
    // The menu of the user, above, has the name of the user.
    const edits = page.getByRole('main').getByRole('button', { name: 'Edit' });
    await expect.poll(() => edits.count()).toBe(0);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('revision').first().waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await allow('PATCH', ['update']);
    await page.getByRole('link', { name: 'YAML' }).click();
    // The page reads the permissions again every half a minute.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { spec } = (await daemon.send('GET', `${PERSONS}/bob`, { headers })).json();
    expect(spec.name).toBe('Typed While Allowed');
  });

  it('forgets the token, and the shown data, when somebody signs out', async () => {
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.getByText('Typed While Allowed').count()).toBe(0);
    expect(followed.complaints).toEqual([]);
  });
});

it('there is no console when it is switched off', async () => {
  const off = await startDaemonProcess({
    dataDir: path.join(temporaryDirectory(), 'data'),
    flags: ['--console', 'off'],
  });
  try {
    expect((await off.get('/console/')).status).toBe(404);
    expect((await off.send('GET', '/', { headers: { accept: 'text/html' } })).status).toBe(200);
    expect(off.output.stderr).not.toContain('/console/');
  } finally {
    await off.stop();
    removeDirectories();
  }
});
