import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type Daemon } from '../../src/daemon/app.js';
import { readConfig } from '../../src/config.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { putDesk, tickets } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const TICKETS = '/apis/desk.example.com/v1/tickets';
const REF = { group: 'desk.example.com', version: 'v1', kind: 'Ticket', plural: 'tickets' };
const DUPLICATE = /spec\.subject "s\d+" of "t-\d+" and "t-\d+"/g;
const SEED = `apiVersion: desk.example.com/v1
kind: Ticket
metadata: { name: declared }
spec: { subject: one of the plugin }
`;

const cwd = temporaryDirectory();
let daemon: Daemon;

const declare = (unique: boolean): Promise<void> =>
  putDesk(cwd, {
    indexes: `specs.add(IndexSpecs.single('spec.subject', 'string').unique(${unique}).indexFunc((o) => o.spec.subject));`,
  });

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

function expectTold(message: string): void {
  expect(message).toMatch(/Ticket cannot be served: objects of Ticket share values that must be unique: /);
  expect(message.match(DUPLICATE)).toHaveLength(100);
  expect(message).toMatch(/; and 20 more; change them with the previous declaration/);
}

beforeAll(async () => {
  await declare(false);
  const lines = tickets(250, (i) => ({ subject: `s${i % 130}` }), 'v1');
  await putFiles(cwd, { 'tickets.ndjson': `${lines}\n` });
  expect(await xsvc('import -f tickets.ndjson')).toMatchObject({ code: 0 });
  await declare(true);
  await putFiles(cwd, { 'plugins/desk/extensions/seed.yaml': SEED });
  const flags = { dataDir: path.join(cwd, '.xsvc'), port: 0, plugins: [path.join(cwd, 'plugins')] };
  daemon = await startDaemon(readConfig({ flags, env: {}, cwd }), SILENT);
});

afterAll(async () => {
  await daemon.close();
  removeDirectories();
});

describe('a model whose objects share values that became unique', () => {
  it.each([
    ['GET', TICKETS],
    ['GET', `${TICKETS}/t-0`],
    ['DELETE', `${TICKETS}/t-0`],
  ])('answers %s %s with 503 that names the first of them, and no time to try again', async (method, at) => {
    const answer = await fetch(`${daemon.url}${at}`, { method });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, null]);
    const body = (await answer.json()) as { readonly reason: string; readonly message: string };
    expect(body.reason).toBe('ServiceUnavailable');
    expectTold(body.message);
  });

  it('is refused by the service in the same words', async () => {
    const error: unknown = await daemon.service.list(REF).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ServiceUnavailable' });
    expectTold(String(error));
  });

  it.each(['get tickets', 'get tickets t-0', 'label tickets t-0 a=b', 'export tickets'])(
    'ends `xsvc %s` with 6, on the store and over HTTP',
    async (line) => {
      for (const place of ['', ` --server ${daemon.url}`]) {
        const { code, err } = await xsvc(`${line}${place}`);
        expect([line, place, code]).toEqual([line, place, 6]);
        expect(err).not.toContain('being built');
        // On the store, the log says it too.
        expectTold(err.slice(err.lastIndexOf('Ticket cannot be served')));
      }
    },
  );

  it('leaves its plugin started, with the reason in its status', async () => {
    const at = '/apis/plugin.platform.run/v1alpha1/plugins/desk';
    const plugin = (await (await fetch(`${daemon.url}${at}`)).json()) as {
      readonly status: { readonly phase: string; readonly message: string };
    };
    expect(plugin.status.phase).toBe('STARTED');
    expect(plugin.status.message.match(DUPLICATE)).toHaveLength(100);
    expect(daemon.failures).toEqual([expect.stringMatching(/^plugin "desk": objects of Ticket share/)]);
  });

  it('ends a strict start with 1', async () => {
    const { code, err } = await xsvc('serve --port 0 --strict');
    expect(code).toBe(1);
    expect(err).toMatch(/error: plugin "desk": objects of Ticket share values/);
  });
});
