import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort, PROGRAM } from '../helpers/daemon.js';
import { filesOf, shownFiles } from '../helpers/documents.js';
import { findKubectl } from '../helpers/kubectl.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { killClients, startProgram, titled, type Client } from './clients.js';

const GUIDE = readFileSync(
  new URL('../../docs/guides/operators-without-a-cluster.md', import.meta.url),
  'utf8',
);
const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
const [serve = '', definition = '', operator = '', objects = ''] = blocks('sh');
const OPERATOR_SOURCE = new URL('go/operator/main.go', import.meta.url);

const kubectl = findKubectl();
const python = inject('python');
const programs = kubectl === undefined ? { missing: 'there is no kubectl' } : python;

describe.skipIf(kubectl === undefined)('the guide to operators without a cluster', () => {
  const [directory, bin] = [temporaryDirectory(), temporaryDirectory()];
  let env: Record<string, string | undefined> = {};
  const start = (script: string): Client =>
    startProgram('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: directory, env });

  beforeAll(async () => {
    const xsvc = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
    writeFileSync(path.join(bin, 'xsvc'), xsvc, { mode: 0o755 });
    for (const [name, text] of Object.entries(filesOf(shownFiles(GUIDE))))
      writeFileSync(path.join(directory, name), text);
    const places = ['directory' in python ? python.directory : '', bin, process.env.PATH];
    env = {
      ...process.env,
      PATH: places.join(path.delimiter),
      XSVC_PORT: String(await freePort()),
      HOME: directory,
    };
  });
  afterAll(() => {
    killClients();
    removeDirectories();
  });

  it('has commands that serve a kind', async () => {
    const service = start(`exec ${serve}`);
    await expect.poll(() => service.output.stdout).toContain('xsvc listening on');
    const { output, ended } = start(definition);
    expect([await ended, output]).toEqual([
      0,
      {
        stdout: 'customresourcedefinition.apiextensions.k8s.io/sites.web.example.com created\n',
        stderr: 'No resources found in default namespace.\n',
      },
    ]);
  });

  it.skipIf('missing' in programs)(titled('has an operator that works', programs), async () => {
    start(`exec env ${operator}`);
    const { output, ended } = start(objects);
    expect([await ended, output.stderr]).toEqual([0, '']);
    expect(output.stdout).toMatch(
      /^site.* created\nsite.* condition met\nNAME +PHASE\none +Published\nOne[^]*Normal +Published[^]*deleted\n/,
    );
  });

  it('shows lines of an operator that the tests run', () => {
    const source = readFileSync(OPERATOR_SOURCE, 'utf8');
    const lines = blocks('go').flatMap((text) => text.trim().split('\n'));
    expect(lines.filter((line) => !source.includes(line.trim()))).toEqual([]);
  });
});
