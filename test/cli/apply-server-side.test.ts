import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { gadget, gadgets } from '../helpers/definitions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data'), plugins: [] });
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

describe.each(['store', 'http'] as const)('apply --server-side, door %s', (door) => {
  const cwd = temporaryDirectory();
  async function xsvc(line: string, stdin?: string): Promise<CliResult> {
    const where = door === 'store' ? ['--data-dir', path.join(cwd, 'data')] : ['--server', daemon.url];
    return runCli([...line.split(' '), ...where], { cwd, ...(stdin !== undefined && { stdin }) });
  }
  const apply = (spec: object, more = ''): Promise<CliResult> =>
    xsvc(`apply --server-side -f -${more}`, JSON.stringify(gadget('one', spec)));

  it('creates the definition and the object, then changes only what its manager states', async () => {
    const both = `${JSON.stringify(gadgets())}\n---\n${JSON.stringify(gadget('one', { size: 3 }))}`;
    const created = await xsvc('apply --server-side -f -', both);
    expect([created.code, created.err]).toEqual([0, '']);
    expect(created.out).toMatch(/gadgets\/one created/);
    expect((await apply({ size: 3 })).out).toMatch(/unchanged/);
    expect((await apply({ colour: 'red' }, ' --field-manager painter')).out).toMatch(/configured/);
    expect((await apply({ size: 4 })).out).toMatch(/configured/);
    const shown = await xsvc('get gadgets one -o json');
    expect(JSON.parse(shown.out)).toMatchObject({ spec: { size: 4, colour: 'red' } });
  });

  it('ends with 4 for fields of others, and takes them with --force-conflicts', async () => {
    const refused = await apply({ size: 9 }, ' --field-manager other');
    expect(refused.code).toBe(4);
    expect(refused.err).toMatch(/conflict with "xsvc": \.spec\.size/);
    const forced = await apply({ size: 9 }, ' --field-manager other --force-conflicts');
    expect([forced.code, forced.err]).toEqual([0, '']);
    expect(JSON.parse((await xsvc('get gadgets one -o json')).out)).toMatchObject({ spec: { size: 9 } });
  });

  it('describe says who owns which fields', async () => {
    const { out } = await xsvc('describe gadgets one');
    expect(out).toMatch(/^Field managers:$/m);
    expect(out).toMatch(/^ {2}other \(Apply, \d+s ago\)\n {4}spec\.size$/m);
    expect(out).toMatch(/^ {2}painter \(Apply, \d+s ago\)\n {4}spec\.colour$/m);
  });

  it('knows the manager of objects that other commands create', async () => {
    await xsvc('create -f -', JSON.stringify(gadget('two', { size: 1 })));
    const refused = await xsvc(
      'apply --server-side --field-manager other -f -',
      JSON.stringify(gadget('two', { size: 2 })),
    );
    expect(refused.err).toMatch(/conflict with "xsvc".*: \.spec\.size/);
  });

  it('refuses flags that do not fit', async () => {
    for (const flags of [' --atomic=true', ' --prune --all']) expect((await apply({}, flags)).code).toBe(2);
    const alone = await xsvc('apply --field-manager x -f -', JSON.stringify(gadget('one')));
    expect([alone.code, alone.err]).toEqual([
      2,
      expect.stringMatching('--field-manager needs --server-side'),
    ]);
  });
});
