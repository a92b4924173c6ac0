import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { closeAll, openTab, signOut, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../../helpers/issuer.js';
import { PERSON_PLUGIN } from '../../helpers/person-daemon.js';
import { temporaryDirectory } from '../../helpers/store.js';

let issuer: TestIssuer;
let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  issuer = await startIssuer();
  daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [PERSON_PLUGIN],
    flags: ['--auth', 'token', '--oidc-issuer', issuer.url, '--oidc-client-id', CLIENT_ID],
  });
  tab = await openTab();
  ({ page } = tab);
});
afterAll(async () => {
  if (CHROMIUM === undefined) return;
  await closeAll(tab.context, daemon);
  await issuer.close();
});

it.skipIf(CHROMIUM === undefined)(
  'a person signs in at the issuer, stays signed in, and signs out',
  async () => {
    issuer.account = { sub: 'ada' };
    await page.goto(`${daemon.url}/console/`);
    const link = page.getByRole('link', { name: `Sign in with ${new URL(issuer.url).host}` });
    await link.click();
    const menu = page.getByRole('button', { name: /^User oidc:ada/ });
    await menu.waitFor();
    expect(page.url()).toBe(`${daemon.url}/console/`);
    // A link that was opened is followed after the sign-in, and only once.
    await signOut(page);
    const opened = `${daemon.url}/console/#/models/demo.example.com/v1alpha1/persons?size=5`;
    await page.goto(opened);
    await link.click();
    await menu.waitFor();
    expect(page.url()).toBe(opened);
    await page.goto(`${daemon.url}/`);
    await page.goto(`${daemon.url}/console/`);
    await menu.waitFor();
    expect(page.url()).toBe(`${daemon.url}/console/`);
    // A text that is no place of the console is not followed.
    await page.evaluate("sessionStorage.setItem('xsvc-place', '//evil.example.com/')");
    await page.reload();
    await menu.waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    await signOut(page);
    await link.waitFor();
    await page.reload();
    await link.waitFor();
    await expect
      .poll(async () => (await tab.context.cookies()).map(({ name }) => name))
      .not.toContain(`xsvc-session-${new URL(daemon.url).port}`);
  },
);
