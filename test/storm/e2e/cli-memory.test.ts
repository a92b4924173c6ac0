import { createWriteStream } from 'node:fs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;
const COUNT = 40_000;
const dataDir = path.join(temporaryDirectory(), 'data');
const FLAGS = ['--data-dir', dataDir, '--plugins', path.join(EXAMPLE_PLUGINS, 'person')];

/** Runs the program with so little memory that it cannot hold the objects; the reader of its output begins late. */
async function xsvc(
  heapMiB: number,
  args: readonly string[],
): Promise<{ code: number | null; bytes: number; out: string }> {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, PROGRAM, ...args, ...FLAGS], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  await sleep(500);
  let [bytes, out] = [0, ''];
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes < 1000) out += String(part);
  });
  return { code: await exited, bytes, out };
}

async function* documents(): AsyncGenerator<string> {
  for (let i = 0; i < COUNT; i += 1) {
    const spec = `  name: N${i}\n  address:\n    city: ${'x'.repeat(1200)}`;
    yield `---\napiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: p${i}\nspec:\n${spec}\n`;
  }
}

beforeAll(async () => {
  const file = path.join(temporaryDirectory(), 'all.yaml');
  await pipeline(documents, createWriteStream(file));
  expect(await xsvc(64, ['import', '-f', file])).toMatchObject({ code: 0, out: `${COUNT} created\n` });
}, 600_000);
afterAll(removeDirectories);

describe('with less memory than the objects take', () => {
  it.each([
    [['get', 'persons', '-o', 'json']],
    [['get', 'persons', '-o', 'yaml']],
    [['get', 'persons', '-o', 'jsonpath={range .items[*]}{.spec}{"\\n"}{end}']],
    [['get', 'persons', '-o', 'custom-columns=CITY:.spec.address.city']],
    [['export', 'persons', '-o', 'ndjson']],
  ])('xsvc %j prints them all', async (args) => {
    const { code, bytes } = await xsvc(44, args);
    expect(code).toBe(0);
    expect(bytes).toBeGreaterThan(COUNT * 1200);
  });
});
