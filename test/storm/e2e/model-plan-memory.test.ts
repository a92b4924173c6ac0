import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../helpers/daemon.js';
import { BEFORE, FIRST, putDesk, RENAMED } from '../../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);

const COUNT = 120_000;
const cwd = temporaryDirectory();
const FLAGS = ['--data-dir', path.join(cwd, 'data'), '--plugins', path.join(cwd, 'plugins', 'desk')];

/** Runs the program with so little memory that it cannot hold the objects. */
function xsvc(heapMiB: number, args: readonly string[], input?: Iterable<string>) {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, PROGRAM, ...args, ...FLAGS]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (out += String(part)));
  child.stderr.on('data', (part: Buffer) => (err += String(part)));
  const feed = async (): Promise<void> => {
    for (const text of input ?? [])
      if (!child.stdin.write(text)) await new Promise((resolve) => child.stdin.once('drain', resolve));
    child.stdin.end();
  };
  const exited = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
  void feed();
  return exited;
}

function* lines(): Generator<string> {
  const rest = 'x'.repeat(330);
  for (let i = 0; i < COUNT; i += 100) {
    yield Array.from({ length: 100 }, (_, j) => {
      const [name, subject] = [`t-${i + j}`, `${rest} ${i + j}`];
      return `{"apiVersion":"desk.example.com/v1alpha1","kind":"Ticket","metadata":{"name":"${name}"},"spec":{"subject":"${subject}"}}\n`;
    }).join('');
  }
}

beforeAll(async () => {
  await putDesk(cwd, BEFORE);
  const imported = await xsvc(96, ['import', '-f', '-', '--format', 'ndjson'], lines());
  expect(imported).toMatchObject({ code: 0, out: `${COUNT} created\n` });
});

describe('with less memory than the objects take', () => {
  const unique = (field: string): string =>
    `specs.add(IndexSpecs.single('spec.${field}', 'string').unique().indexFunc((t) => t.spec.${field}));`;

  it('a plan converts and checks all of them, and compares their unique values', async () => {
    await putDesk(cwd, { ...RENAMED, indexes: unique('title') });
    const began = performance.now();
    const { code, out, err } = await xsvc(56, ['model', 'plan']);
    const seconds = (performance.now() - began) / 1000;
    console.info(`plan of ${COUNT} objects: ${seconds.toFixed(1)} s`);
    expect({ code, err }).toMatchObject({ code: 10 });
    expect(out).toMatch(/1 model would change; all objects are valid\n$/);
  });

  it('a plan counts all of them that do not fit', async () => {
    const subject = { type: 'string', maxLength: 5 };
    await putDesk(cwd, { ...BEFORE, spec: { ...FIRST, properties: { ...FIRST.properties, subject } } });
    const { code, out } = await xsvc(56, ['model', 'plan']);
    expect(code).toBe(5);
    expect(out).toContain(`problem: ${COUNT} objects would be invalid\n    t-0: spec.subject`);
    expect(out).toContain(`    and ${COUNT - 10} more\n`);
  });
});
