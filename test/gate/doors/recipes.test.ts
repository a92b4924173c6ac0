import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExtensionObject } from 'xsvc';
import { eventually, startTestService, type TestService } from 'xsvc/testing';
import { CHROMIUM, launchBrowser } from '../../helpers/browser.js';
import { putFiles } from '../../helpers/cli.js';
import { filesOf, readDocuments, shownFiles } from '../../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const FILES = filesOf(
  readDocuments(ROOT)
    .filter((document) => document.path === 'docs/guides/recipes.md')
    .flatMap(({ text }) => shownFiles(text)),
);
const SHOWN_URL = 'http://127.0.0.1:8090';
const ISSUE = { group: 'tracker.example.com', version: 'v1', kind: 'Issue' };
const JOB = { ...ISSUE, kind: 'Job' };

let directory = '';
let service: TestService;
let pages: Server;

beforeAll(async () => {
  directory = temporaryDirectory();
  await putFiles(directory, FILES);
  pages = createServer((_, response) => {
    const page = FILES['live.html']?.replaceAll(SHOWN_URL, service.url);
    response.setHeader('Content-Type', 'text/html').end(page);
  });
  service = await startTestService({
    plugins: [path.join(directory, 'plugins/tracker')],
    settings: { corsOrigin: [await listen(pages)] },
  });
});

afterAll(async () => {
  await service.close();
  pages.closeAllConnections();
  pages.close();
  removeDirectories();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function statusOf(model: typeof ISSUE, name: string): Promise<unknown> {
  return (await service.client.get<ExtensionObject>(model, name)).status;
}

function createIssue(name: string, title: string) {
  return service.client.create(ISSUE, { metadata: { name }, spec: { title } });
}

describe('the recipes', () => {
  it('run a job once a day', async () => {
    const job = (await eventually(() => statusOf(JOB, 'nightly'))) as { lastRun: string; open: number };
    expect(job.lastRun).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(job.open).toBe(0);
    await createIssue('late', 'After the run');
    await service.client.patch(JOB, 'nightly', {
      metadata: { labels: { 'tracker.example.com/seen': 'yes' } },
    });
    await service.controllersSettled();
    expect(await statusOf(JOB, 'nightly')).toEqual(job);
    await service.client.updateStatus({
      ...(await service.client.get<ExtensionObject>(JOB, 'nightly')),
      status: { ...job, lastRun: '2026-01-01' },
    });
    await eventually(async () => {
      expect(await statusOf(JOB, 'nightly')).toEqual({ ...job, open: 1 });
      return true;
    });
    await service.client.delete(ISSUE, 'late');
  });

  it.skipIf(CHROMIUM === undefined)('show changes in a page as they happen', async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await createIssue('shown', 'Shown <b>as text</b>');
      await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
      const titles = () => page.getByRole('listitem').allTextContents();
      await expect.poll(titles).toEqual(['Shown <b>as text</b>']);
      await createIssue('newer', 'Newer');
      await expect.poll(titles).toEqual(['Newer', 'Shown <b>as text</b>']);
      await service.client.patch(ISSUE, 'shown', { spec: { title: 'Changed' } });
      await expect.poll(titles).toEqual(['Changed', 'Newer']);
      await service.client.delete(ISSUE, 'newer');
      await expect.poll(titles).toEqual(['Changed']);
    } finally {
      await browser.close();
    }
  });

  it('test a plugin with vitest', async () => {
    const installed = path.join(directory, 'node_modules');
    mkdirSync(installed);
    symlinkSync(ROOT, path.join(installed, 'xsvc'));
    symlinkSync(path.join(ROOT, 'node_modules/vitest'), path.join(installed, 'vitest'));
    const program = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
    const plugin = path.join(directory, 'plugins/tracker');
    const options = { cwd: plugin, env: { ...process.env, NO_COLOR: '1' } };
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'run'], options);
    expect(stdout).toMatch(/Tests +1 passed/);
  });
});
