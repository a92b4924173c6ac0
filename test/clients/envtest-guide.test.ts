import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PROGRAM } from '../helpers/daemon.js';
import { filesOf, shownFiles } from '../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { fileOf, killClients, SITE, startProgram, titled } from './clients.js';

const GUIDES = new URL('../../docs/guides/', import.meta.url);
const readGuide = (name: string): string => readFileSync(new URL(name, GUIDES), 'utf8');
const GUIDE = readGuide('test-operators.md');
const blocks = (language: string): string[] =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
const [assets = '', around = '', python = '', javascript = ''] = blocks('sh');
const SUITE = new URL('go/operator/suite_test.go', import.meta.url);

const [go, pythons] = [inject('go'), inject('python')];

describe('the guide to tests of operators', () => {
  const [directory, bin] = [temporaryDirectory(), temporaryDirectory()];

  beforeAll(() => {
    const shown = shownFiles(readGuide('operators-without-a-cluster.md') + GUIDE);
    for (const [name, text] of Object.entries(filesOf(shown)))
      writeFileSync(path.join(directory, name), text);
    writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
    mkdirSync(path.join(directory, 'node_modules'));
    symlinkSync(path.resolve(PROGRAM, '../..'), path.join(directory, 'node_modules/xsvc'));
    const xsvc = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
    writeFileSync(path.join(bin, 'xsvc'), xsvc, { mode: 0o755 });
    // The compiled suite: `go test` would compile it again.
    const test = `#!/bin/sh\nexec "${fileOf(go, 'operator-suite')}" -test.v\n`;
    writeFileSync(path.join(bin, 'go'), test, { mode: 0o755 });
  });
  afterAll(() => {
    killClients();
    removeDirectories();
  });

  async function run(script: string): Promise<{ readonly code: number | null; readonly text: string }> {
    const places = [bin, 'directory' in pythons ? pythons.directory : '', process.env.PATH];
    const env = { ...process.env, PATH: places.join(path.delimiter), SITE_CRD: SITE, HOME: directory };
    const { ended, output } = startProgram('bash', ['-e', '-c', script], { cwd: directory, env });
    return { code: await ended, text: output.stdout + output.stderr };
  }

  it.skipIf('missing' in go)(titled('has commands for a suite in Go', go), async () => {
    for (const script of [assets, around]) {
      const { code, text } = await run(script);
      expect([code, text]).toEqual([0, expect.stringContaining('PASS: TestOperator')]);
    }
  });

  it('shows lines of a suite that the tests run', () => {
    const source = readFileSync(SUITE, 'utf8');
    const lines = blocks('go').flatMap((text) => text.trim().split('\n'));
    expect(lines.filter((line) => !source.includes(line.trim()))).toEqual([]);
  });

  it.skipIf('missing' in pythons)(titled('has a test in Python that passes', pythons), async () => {
    const { code, text } = await run(python);
    expect([code, text]).toEqual([0, expect.stringContaining('Ran 1 test')]);
  });

  it('has a test in JavaScript that passes', async () => {
    const { code, text } = await run(javascript);
    expect([code, text]).toEqual([0, expect.stringMatching(/pass 2\n/)]);
  });
});
