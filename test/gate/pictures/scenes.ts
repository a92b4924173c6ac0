import type { Page } from 'playwright-core';
import type { Look } from './stage.js';

/** A state of the console. */
export interface Scene extends Look {
  /** Of its picture. */
  readonly name: string;
  readonly hash: string;
  /** Brings the page into the state after it was opened. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** True for a service without models of plugins. */
  readonly isEmpty?: boolean;
}

const SHOP = '#/models/shop.example.com/v1';
const PRODUCT = `${SHOP}/products/p-00042`;
/** A new product without anything. */
export const REFUSED: Scene = {
  name: 'form-refused',
  hash: '#/create/shop.example.com/v1/products/form',
  width: 1024,
  scheme: 'light',
  prepare: save,
};

export const SCENES: readonly Scene[] = [
  { name: 'overview', hash: '#/', width: 1440, scheme: 'light', prepare: untilAllChanges },
  { name: 'overview-phone', hash: '#/', width: 390, scheme: 'dark', prepare: untilAllChanges },
  { name: 'overview-empty', hash: '#/', width: 1024, scheme: 'light', isEmpty: true },
  { name: 'list', hash: `${SHOP}/products?sort=spec.price,desc`, width: 1440, scheme: 'light' },
  { name: 'list-phone', hash: `${SHOP}/products`, width: 390, scheme: 'light' },
  { name: 'list-tablet', hash: `${SHOP}/orders`, width: 1024, scheme: 'dark' },
  { name: 'list-selection', hash: `${SHOP}/customers`, width: 1440, scheme: 'dark', prepare: selectTwo },
  {
    name: 'list-drawer',
    hash: `${SHOP}/products?fieldSelector=spec.state%3Ddraft&open=p-00004`,
    width: 1440,
    scheme: 'light',
  },
  { name: 'list-filter', hash: `${SHOP}/products`, width: 1024, scheme: 'light', prepare: addFilter },
  {
    name: 'list-no-match',
    hash: `${SHOP}/products?fieldSelector=spec.state%3Dnothing`,
    width: 1440,
    scheme: 'light',
  },
  {
    name: 'list-empty',
    hash: '#/models/delivery.platform.run/v1alpha1/webhooks',
    width: 1440,
    scheme: 'dark',
  },
  { name: 'object', hash: PRODUCT, width: 1440, scheme: 'light' },
  { name: 'object-phone', hash: `${SHOP}/orders/o-00007`, width: 390, scheme: 'dark' },
  { name: 'form', hash: `${PRODUCT}/form`, width: 1440, scheme: 'dark' },
  { name: 'form-phone', hash: `${SHOP}/customers/c-0003/form`, width: 390, scheme: 'light' },
  REFUSED,
  { name: 'yaml', hash: `${PRODUCT}/yaml`, width: 1024, scheme: 'dark' },
  { name: 'history', hash: `${SHOP}/categories/books/history`, width: 1440, scheme: 'light' },
  { name: 'related', hash: `${SHOP}/orders/o-00007/related`, width: 1440, scheme: 'light' },
  { name: 'create', hash: '#/create/shop.example.com/v1/customers/form', width: 1440, scheme: 'light' },
  { name: 'models', hash: '#/models', width: 1024, scheme: 'light' },
  { name: 'builder', hash: '#/builder', width: 1440, scheme: 'dark' },
  { name: 'plugins', hash: '#/plugins', width: 1440, scheme: 'light' },
  { name: 'access', hash: '#/access', width: 1440, scheme: 'light' },
  { name: 'role', hash: '#/access?role=order-editor', width: 1024, scheme: 'light' },
  { name: 'user-phone', hash: '#/access?user=grace', width: 390, scheme: 'dark' },
  { name: 'palette', hash: '#/controllers', width: 1440, scheme: 'dark', prepare: openPalette },
];

/** The changes of a model come in several answers. */
async function untilAllChanges(page: Page): Promise<void> {
  await page.getByText('o-00302').first().waitFor({ state: 'attached' });
}

async function selectTwo(page: Page): Promise<void> {
  for (const i of [1, 3]) await page.getByRole('row').nth(i).getByRole('checkbox').click();
}

async function addFilter(page: Page): Promise<void> {
  await page.getByRole('button', { name: '+ Filter' }).click();
  await page.getByRole('dialog', { name: 'Filter' }).waitFor();
}

async function save(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^(Save|Create)/ })
    .last()
    .click();
  await page.locator('[aria-invalid=true], [role=alert]').first().waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').first().waitFor();
}
