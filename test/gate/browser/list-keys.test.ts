import { describe, expect } from 'vitest';
import { lookAt } from '../../helpers/browser.js';
import { createPersons, listOf, matching, personAt, PERSON_LIST, useJourneys } from './journeys.js';

const { journey } = useJourneys();

describe('a list and the object that is open over it', () => {
  journey('is used by keys alone', async ({ page, daemon, open, rowNames }) => {
    await createPersons(daemon, 'keyed', 4, (i) => ({ name: `Person ${i}` }));
    await open(listOf('keyed'));
    await expect.poll(rowNames).toHaveLength(4);
    const row = (i: number) => page.locator(`[id="row-keyed-0${i}"]`);
    const drawer = page.getByRole('complementary', { name: 'Object' });
    await page.keyboard.press('j');
    await row(0).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await row(1).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await drawer
      .getByRole('heading', { name: /keyed-01|Person 1/ })
      .first()
      .waitFor();
    expect(page.url()).toContain('open=keyed-01');
    await page.keyboard.press(']');
    await drawer
      .getByRole('heading', { name: /keyed-02|Person 2/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => drawer.count()).toBe(0);
    await row(2).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('Select keyed-02').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  });

  journey('has one tab stop for its rows', async ({ page, daemon, open, rowNames }) => {
    await createPersons(daemon, 'tabbed', 3);
    await open(listOf('tabbed'));
    await expect.poll(rowNames).toHaveLength(3);
    const stops = page.locator('tbody').locator('[tabindex="0"], a:not([tabindex]), input:not([tabindex])');
    expect(await stops.count()).toBe(1);
  });

  journey('opens the object of a row that is clicked, and the back button closes it', async (walk) => {
    const { page, daemon, open } = walk;
    await createPersons(daemon, 'clicked', 2, (i) => ({ age: 20 + i }));
    await open(listOf('clicked'));
    await page.getByRole('cell', { name: '21', exact: true }).click();
    const drawer = page.getByRole('complementary', { name: 'Object' });
    await drawer.waitFor();
    expect(page.url()).toContain('open=clicked-01');
    // The object covers the end of the row.
    await page
      .locator('[id="row-clicked-00"] td')
      .nth(1)
      .click({ position: { x: 4, y: 6 } });
    await expect.poll(() => page.url()).toContain('open=clicked-00');
    await page.goBack();
    await expect.poll(() => drawer.count()).toBe(0);
  });

  journey('is rows of two lines on a phone', async ({ page, daemon, open }) => {
    await createPersons(daemon, 'small', 2, (i) => ({ age: 30 + i }));
    await page.setViewportSize({ width: 390, height: 844 });
    await open(listOf('small'));
    await page.getByRole('link', { name: 'small-01', exact: true }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    expect(await lookAt(page, 'list-phone')).toEqual([]);
  });
});

describe('the columns of a list', () => {
  journey('are chosen, moved and kept', async ({ page, daemon, open, press }) => {
    await createPersons(daemon, 'wide', 2, (i) => ({ gender: i === 0 ? 'MALE' : 'FEMALE' }));
    await open(listOf('wide'));
    await press('Columns');
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('gender');
    await page.getByRole('checkbox', { name: 'Gender' }).check();
    await page.keyboard.press('Escape');
    const header = page.getByRole('columnheader');
    await page.getByRole('cell', { name: 'FEMALE', exact: true }).waitFor();
    await expect.poll(() => header.last().textContent()).toBe('Gender');
    await page.getByRole('button', { name: 'Column options', description: 'Gender' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await expect.poll(() => header.nth(1).textContent()).toBe('Gender');
    await page.reload();
    await expect.poll(() => header.nth(1).textContent()).toBe('Gender');
    await press('Columns');
    await press('Reset');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('columnheader', { name: 'Gender' }).count()).toBe(0);
  });
});

describe('a saved view', () => {
  journey('has the conditions of a list, and is renamed and deleted', async (walk) => {
    const { page, daemon, open, press } = walk;
    await createPersons(daemon, 'viewed', 3, (i) => ({ age: i }));
    await open(listOf('viewed', { fieldSelector: 'spec.age>0' }));
    await page.getByText(matching(2)).waitFor();
    await press('+ Save view');
    await page.getByLabel('Name of the view').fill('Older ones');
    await press('Save');
    const tab = page.getByRole('link', { name: 'Older ones', exact: true });
    await expect.poll(() => tab.getAttribute('aria-current')).toBe('page');
    await open(PERSON_LIST);
    await tab.click();
    await page.getByText(matching(2)).waitFor();
    await press('Options of Older ones');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Name of the view').fill('Renamed');
    await press('Save');
    await page.getByRole('link', { name: 'Renamed', exact: true }).waitFor();
    await press('Options of Renamed');
    await page.getByRole('menuitem', { name: 'Delete view' }).click();
    await expect.poll(() => page.getByRole('link', { name: 'Renamed' }).count()).toBe(0);
    await page.getByText(matching(2)).waitFor();
  });
});

describe('many objects', () => {
  journey('get other values of a field after a trial', async ({ page, daemon, open, press, objectAt }) => {
    await createPersons(daemon, 'edited', 3, (i) => ({ age: i }));
    await open(listOf('edited'));
    await page.getByText(matching(3)).waitFor();
    await page.getByLabel('Select all rows of this page').check();
    await press('Edit fields');
    await page.getByLabel('Field', { exact: true }).selectOption('spec.age');
    await page.getByRole('dialog').getByRole('textbox').fill('44');
    await press('Try without saving');
    await page.getByText('3 can be changed').waitFor();
    expect((await objectAt(personAt('edited-01'))).spec['age']).toBe(1);
    await press('Apply');
    await page.getByText('3 changed').waitFor();
    expect((await objectAt(personAt('edited-02'))).spec['age']).toBe(44);
  });

  journey('are imported from CSV after a trial', async ({ page, daemon, open, press, objectAt }) => {
    await createPersons(daemon, 'imported', 1, () => ({ age: 1 }));
    await open(PERSON_LIST);
    await press('Import');
    const rows = [
      'Name,Full name,Years',
      'imported-00,"First, changed",2',
      'imported-09,New,3',
      'imported-09,Twice,4',
    ];
    await page.getByLabel('or text').fill(rows.join('\n'));
    await press('Try without saving');
    await page.getByText('1 new · 1 existing · 1 left out').waitFor();
    await page.getByText('2 would be imported').waitFor();
    expect((await daemon.get(personAt('imported-09'))).status).toBe(404);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    // The typed rows contain "2", a line break and "imported-09".
    await page.getByText(/^2 imported(?!-)/).waitFor();
    expect((await objectAt(personAt('imported-00'))).spec).toMatchObject({ name: 'First, changed', age: 2 });
    expect((await objectAt(personAt('imported-09'))).spec).toMatchObject({ name: 'New', age: 3 });
  });
});
