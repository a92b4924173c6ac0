import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { runProgram } from '../helpers/daemon.js';
import { filesOf, shownFiles } from '../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const GUIDE = readFileSync(new URL('../../docs/guides/models-in-yaml.md', import.meta.url), 'utf8');

afterAll(removeDirectories);

it('the commands of the guide to models in YAML work as they are shown', async () => {
  const directory = temporaryDirectory();
  await putFiles(directory, filesOf(shownFiles(GUIDE)));
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(GUIDE) ?? [];
  const outputs: string[] = [];
  for (const line of block.trim().split('\n')) {
    const words = line.split(' ').map((word) => (word.endsWith('.yaml') ? path.join(directory, word) : word));
    const place = ['--data-dir', path.join(directory, 'store'), '--plugins', temporaryDirectory()];
    const { code, stdout, stderr } = await runProgram([...words.slice(1), ...place]);
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
    outputs.push(stdout);
  }
  expect(outputs[0]).toMatch(/created[\s\S]*created/);
  expect(outputs[1]).toMatch(/^NAME +DATABASE +KEEP +AGE\nnightly +prod +30 +/);
  expect(outputs[2]).toMatch(/^NAMESPACE +NAME +DATABASE +KEEP +AGE\ndefault +nightly/);
  expect(outputs[3]).toContain('keepDays');
});
