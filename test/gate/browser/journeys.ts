import path from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM, followPage, type Followed } from '../../helpers/browser.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { person, PERSONS, type HttpAnswer, type Json } from '../../helpers/http.js';
import { putPress } from '../../helpers/press.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

export const PERSON_LIST = '#/models/demo.example.com/v1alpha1/persons';
/** Of the label that says which journey an object belongs to. */
export const JOURNEY = 'example.com/journey';
const WAIT_MS = 10_000;
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

if (CHROMIUM === undefined) console.warn('no Chromium is installed: nothing is tested in a browser');

/** A fresh page of one journey, and what it does most. */
export interface Journey {
  readonly page: Page;
  /** There must be no complaint when the journey ends. */
  readonly followed: Followed;
  readonly daemon: DaemonProcess;
  /** Shows a page of the console. */
  readonly open: (hash: string) => Promise<void>;
  readonly press: (name: string) => Promise<void>;
  readonly button: (name: string) => Locator;
  readonly region: (name: string) => Locator;
  readonly dialog: (name: string) => Locator;
  /** The text of an object. */
  readonly yaml: Locator;
  /** Of the table of objects, in its order. */
  readonly rowNames: () => Promise<string[]>;
  readonly objectAt: (url: string) => Promise<Json>;
  readonly create: (url: string, body: object) => Promise<void>;
  readonly change: (url: string, patch: object) => Promise<void>;
}

/** A daemon and a browser for the journeys of a file. */
export interface Journeys {
  readonly daemon: DaemonProcess;
  /** A test with a fresh page in a separate browser profile. Its objects must have names that no other test uses. */
  readonly journey: (title: string, walk: (journey: Journey) => Promise<void>) => void;
  readonly directory: string;
}

export function useJourneys(flags: readonly string[] = []): Journeys {
  let daemon: DaemonProcess | undefined;
  let browser: Browser | undefined;
  let directory = '';
  beforeAll(async () => {
    if (CHROMIUM === undefined) return;
    directory = temporaryDirectory();
    await putPress(directory);
    const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins, flags });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await daemon?.stop();
    killDaemons();
    removeDirectories();
  });

  const started = (): DaemonProcess => {
    if (daemon === undefined) throw new Error('the daemon is not started yet');
    return daemon;
  };
  return {
    get daemon() {
      return started();
    },
    get directory() {
      return directory;
    },
    journey(title, walk) {
      it.skipIf(CHROMIUM === undefined)(title, async () => {
        const context = await browser?.newContext({
          locale: 'en-US',
          viewport: { width: 1280, height: 860 },
        });
        if (context === undefined) throw new Error('the browser is not started yet');
        try {
          const page = await context.newPage();
          page.setDefaultTimeout(WAIT_MS);
          const followed = followPage(page);
          await walk({ ...journeyOn(page, started()), followed });
          expect(followed.complaints).toEqual([]);
        } finally {
          await context.close();
        }
      });
    },
  };
}

function journeyOn(page: Page, daemon: DaemonProcess): Omit<Journey, 'followed'> {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  return {
    page,
    daemon,
    async open(hash) {
      await page.goto(`${daemon.url}/console/${hash}`);
    },
    press: (name) => button(name).click(),
    button,
    region: (name) => page.getByRole('region', { name, exact: true }),
    dialog: (name) => page.getByRole('dialog', { name, exact: true }),
    yaml: page.getByRole('textbox', { name: 'YAML' }),
    rowNames: () => page.locator('tbody tr td:nth-child(2) a').allTextContents(),
    objectAt: async (url) => (await daemon.get(url)).json(),
    create: async (url, body) => expectStatus(await daemon.send('POST', url, { body }), 201),
    change: async (url, body) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      expectStatus(await daemon.send('PATCH', url, { headers, body }), 200);
    },
  };
}

function expectStatus({ status, text }: HttpAnswer, expected: number): void {
  expect([status, status === expected ? '' : text]).toEqual([expected, '']);
}

/** Creates persons `<journey>-00`, `<journey>-01` and so on, with the label of the journey. */
export async function createPersons(
  daemon: DaemonProcess,
  journey: string,
  count: number,
  spec: (i: number) => object = () => ({}),
): Promise<void> {
  const items = Array.from({ length: count }, (_, i) => {
    const name = `${journey}-${String(i).padStart(2, '0')}`;
    const object = person(name, spec(i), { labels: { [JOURNEY]: journey } });
    return {
      verb: 'create',
      object: { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...object },
    };
  });
  expectStatus(await daemon.send('POST', BATCHES, { body: { items } }), 200);
}

/** The list of the persons of a journey. */
export function listOf(journey: string, parameters: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams({ labelSelector: `${JOURNEY}=${journey}`, ...parameters });
  return `${PERSON_LIST}?${search.toString()}`;
}

/** The number of listed objects, beside that of all objects of the model. */
export const matching = (count: number): RegExp => new RegExp(`^${count.toLocaleString('en')} of [\\d,]+$`);

export const personAt = (name: string): string => `${PERSONS}/${name}`;

/** The text of a person, as it is typed. @param spec lines that are indented by two spaces */
export function personText(name: string, spec: string): string {
  return `apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
}
