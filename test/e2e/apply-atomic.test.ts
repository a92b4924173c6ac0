import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRemote } from '../../src/client/http-verbs.js';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { gadget, gadgets } from '../helpers/definitions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const COUNT = 10_000;

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data'), plugins: [] });
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

const many = (count: number, spec: object): string =>
  Array.from({ length: count }, (_, i) => JSON.stringify(gadget(`n${i}`, spec))).join('\n---\n');

describe.each(['store', 'http'] as const)('apply of many objects, door %s', (door) => {
  const cwd = temporaryDirectory();
  function xsvc(line: string, stdin?: string): Promise<CliResult> {
    const where = door === 'store' ? ['--data-dir', path.join(cwd, 'data')] : ['--server', daemon.url];
    return runCli([...line.split(' '), ...where], { cwd, ...(stdin !== undefined && { stdin }) });
  }
  const total = async (): Promise<number> => {
    const { out } = await xsvc('get gadgets -o json --size 1');
    return (JSON.parse(out) as { total: number }).total;
  };

  it('stores none when one is at fault, without a flag', async () => {
    expect(await xsvc('apply -f -', JSON.stringify(gadgets()))).toMatchObject({ code: 0 });
    const stdin = `${many(3, { size: 1 })}\n---\n${JSON.stringify(gadget('bad', { size: 'x' }))}`;
    expect(await xsvc('apply -f -', stdin)).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringMatching(/spec\.size .*\nnothing was written/) as string,
    });
    expect(await total()).toBe(0);
    expect(await xsvc('apply --no-atomic -f -', stdin)).toMatchObject({ code: 5 });
    expect(await total()).toBe(3);
    expect(await xsvc('delete gadgets --all')).toMatchObject({ code: 0 });
  });

  it('ends with 2 above 10,000 objects, and stores nothing, not even a definition', async () => {
    const stdin = `${JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'early' } })}\n---\n`;
    const { code, out, err } = await xsvc('apply -f -', stdin + many(COUNT, { size: 1 }));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/at most 10000 objects, got 10001;.*--no-atomic/);
    expect(await total()).toBe(0);
    expect(await xsvc('get namespaces early')).toMatchObject({ code: 3 });
  });

  it('ends with 2 above 64 MiB, and stores nothing', async () => {
    const { code, out, err } = await xsvc('apply -f -', many(140, { colour: 'x'.repeat(250_000) }));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/more than 64MiB.*--no-atomic/);
    expect(await total()).toBe(0);
  });

  it('stores almost 64 MiB', async () => {
    const { code, err } = await xsvc('apply -f -', many(130, { colour: 'x'.repeat(250_000) }));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await total()).toBe(130);
    expect(await xsvc('delete gadgets --all')).toMatchObject({ code: 0 });
  });

  it('stores 10,000 objects in one commit', async () => {
    const { code, err } = await xsvc('apply -f -', many(COUNT, { size: 2 }));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { items } = JSON.parse((await xsvc('get gadgets -o json')).out) as {
      items: { metadata: { resourceVersion: string } }[];
    };
    const revisions = items.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(Math.max(...revisions) - Math.min(...revisions)).toBe(COUNT - 1);
  });
});

describe('apply with a server', () => {
  it('never shows a part to readers', async () => {
    const verbs = openRemote(daemon.url);
    const resource = (await verbs.resources('gadgets')).find(({ plural }) => plural === 'gadgets');
    if (resource === undefined) throw new Error('gadgets are not served');
    const stdin = many(COUNT, { size: 3 });
    const work = { isDone: false };
    const applying = runCli(['apply', '-f', '-', '--server', daemon.url], { cwd: '/', stdin });
    void applying.finally(() => (work.isDone = true));
    const seen = new Set<number>();
    while (!work.isDone) {
      const page = await verbs.list(resource, { size: 0 });
      const changed = page.items.filter(({ spec }) => (spec as { size: number }).size === 3).length;
      seen.add(changed);
    }
    expect(await applying).toMatchObject({ code: 0 });
    expect([...seen].filter((count) => count !== 0 && count !== COUNT)).toEqual([]);
  });
});
