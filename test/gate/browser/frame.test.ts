import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { PAGES } from '../../helpers/console.js';
import { person, PERSONS } from '../../helpers/http.js';
import { PERSON_LIST, useJourneys } from './journeys.js';

const { journey } = useJourneys([
  '--console-name',
  'shop "a" <b>',
  '--console-environment',
  'production',
  '--console-color',
  'green',
]);

const colorOfPage = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
const hasFocus = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
/** A closed dialog gives the focus back one frame later. */
const labelOfFocus = (page: Page): Promise<string | null> =>
  page.evaluate<string | null>('document.activeElement.ariaLabel');
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Texts that are cut off or stand out, outside of regions that scroll. */
const OVERFLOWS = `[...document.querySelectorAll('h1, h2, h3, p, a, button, label, summary, th, td, dt, dd, span')]
  .filter((one) => one.closest('.scroll, .unseen, .cm-editor, svg, [hidden]') === null && one.checkVisibility())
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
  .filter((one) => getComputedStyle(one).textOverflow !== 'ellipsis' && getComputedStyle(one).clipPath === 'none')
  .map((one) => one.tagName + ' ' + one.className + ': ' + one.textContent.slice(0, 40))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`;

describe('the frame of the console', () => {
  journey('has the name of the service, and leads to models by plugin', async ({ page, open }) => {
    await open('#/');
    await heading(page).waitFor();
    expect(await page.title()).toBe('Overview – shop "a" <b>');
    const bar = page.getByRole('banner');
    await bar.getByText('shop "a" <b>').waitFor();
    await bar.getByText('production').waitFor();
    const models = page.getByRole('navigation', { name: 'Models' });
    await models.getByRole('link', { name: /^Persons \d+$/ }).click();
    await page.getByText(/\d+ total/).waitFor();
    expect(await models.locator('[aria-current]').textContent()).toMatch(/^Persons/);
    await models.getByText('System models').click();
    await models.getByRole('link', { name: /^Namespaces/ }).waitFor();
  });

  journey('takes a theme and a height of rows, and remembers them', async ({ page, open, press }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await open('#/plugins');
    const light = await colorOfPage(page);
    const rowHeight = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.documentElement).getPropertyValue("--row")');
    const normal = await rowHeight();
    await press('User');
    const menu = page.getByRole('dialog', { name: 'User' });
    await menu.getByText('Not signed in').waitFor();
    await menu.getByRole('radio', { name: 'System' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => colorOfPage(page)).not.toBe(light);
    await menu.getByText('Compact').click();
    await page.reload();
    await heading(page).waitFor();
    expect(await colorOfPage(page)).not.toBe(light);
    expect(await rowHeight()).not.toBe(normal);
    await press('User');
    await menu.getByText('System').click();
    await expect.poll(() => colorOfPage(page)).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => colorOfPage(page)).not.toBe(light);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expect.poll(() => labelOfFocus(page)).toBe('User');
  });

  journey('shows the rights of the user', async ({ page, open, press, dialog }) => {
    await open('#/plugins');
    await press('User');
    await press('My rights');
    await dialog('My rights')
      .getByRole('row', { name: /all all all/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog('My rights').waitFor({ state: 'detached' });
  });

  journey(
    'has its side in a drawer on small screens, which a navigation closes',
    async ({ page, open, press }) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await open('#/plugins');
      await heading(page).waitFor();
      expect((await heading(page).boundingBox())?.y).toBeLessThan(120);
      expect(await page.getByRole('navigation').count()).toBe(0);
      await press('Navigation');
      const drawer = page.getByRole('dialog', { name: 'Navigation' });
      await drawer.waitFor();
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
      }
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await expect.poll(() => labelOfFocus(page)).toBe('Navigation');
      await press('Navigation');
      await drawer.getByRole('link', { name: 'Controllers' }).click();
      await page.getByRole('heading', { name: 'Controllers' }).waitFor();
      await drawer.waitFor({ state: 'detached' });
      await expect.poll(() => hasFocus(page)).toBe('Controllers');
    },
  );

  journey('moves the focus to the heading of the next page', async ({ page, open, create }) => {
    await create(PERSONS, person('focused'));
    await open('#/plugins');
    await heading(page).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await expect.poll(() => hasFocus(page)).toBe('Webhooks');
    await open(`${PERSON_LIST}/focused`);
    await expect.poll(() => hasFocus(page)).toBe('focused');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('metrics');
    await page.locator('[role=menuitem][data-focused]', { hasText: 'Metrics' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => hasFocus(page)).toBe('Metrics');
  });

  journey('shows all keys at ?, but not while a text is typed', async ({ page, open, dialog, button }) => {
    await open('#/');
    await heading(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.keyboard.type('?');
    expect(await dialog('Keys').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await dialog('Keys').getByText('Go to the next error').waitFor();
    await button('Close').click();
    await dialog('Keys').waitFor({ state: 'detached' });
  });

  journey('finds objects by a part of their title', async ({ page, open, create }) => {
    await create(PERSONS, person('by-title', { name: 'Zelda Quixote' }));
    await open('#/');
    await heading(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('quixo');
    await page.getByRole('menuitem', { name: /Zelda Quixote.*by-title/ }).click();
    await page.getByRole('heading', { name: 'by-title' }).waitFor();
  });

  journey('stops to follow changes, and follows them again', async ({ page, open, create, press }) => {
    await open(PERSON_LIST);
    await page.getByText(/\d+ total/).waitFor();
    await press('Live');
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    await create(PERSONS, person('unseen-yet'));
    const link = page.getByRole('link', { name: 'unseen-yet', exact: true });
    const asked: string[] = [];
    page.on('request', (request) => {
      // Parts of the page are loaded in advance.
      if (!request.url().endsWith('.js')) asked.push(request.url());
    });
    // Longer than the shortest interval of the page.
    await page.waitForTimeout(4_000);
    expect([await link.count(), asked]).toEqual([0, []]);
    await press('Paused');
    await link.waitFor();
  });

  journey('says that the service is away without moving anything', async ({ page, open, followed }) => {
    await open('#/plugins');
    await page.getByText('STARTED').first().waitFor();
    const before = await heading(page).boundingBox();
    await page.route(/\/(apis|readyz|metrics)/, (route) => route.abort('connectionrefused'));
    await page.getByText('The service does not answer. The data shown').waitFor();
    await page.getByRole('button', { name: 'Offline' }).waitFor();
    expect(await heading(page).boundingBox()).toEqual(before);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Live' }).waitFor();
    followed.complaints.length = 0;
  });

  journey('cuts off no text on any page, at any width', async ({ page, open }) => {
    for (const width of [390, 1024, 1440])
      for (const hash of PAGES) {
        await page.setViewportSize({ width, height: 900 });
        await open(hash);
        await heading(page).waitFor();
        await page.getByText('Loading…').first().waitFor({ state: 'detached' });
        expect([width, hash, await page.evaluate(OVERFLOWS)]).toEqual([width, hash, []]);
      }
  });
});
