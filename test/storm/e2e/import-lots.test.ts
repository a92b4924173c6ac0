import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import { EXAMPLE_PLUGINS, killDaemons, PROGRAM, startDaemonProcess } from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { openStream } from '../../helpers/watching.js';

afterEach(killDaemons);
afterAll(removeDirectories);

/** More than two lots of an import into a directory. */
const COUNT = 12_000;
const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');

const line = (name: string, spec: object = {}): string =>
  `${JSON.stringify({ apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...person(name, spec) })}\n`;
const nameOf = (i: number): string => `p-${String(i).padStart(5, '0')}`;
const lines = Array.from({ length: COUNT }, (_, i) =>
  line(nameOf(i), { age: i % 90, email: `${nameOf(i)}@example.com`, tags: [`t${i % 7}`, `u${i}`] }),
);

interface Place {
  readonly cwd: string;
  readonly flags: readonly string[];
  readonly run: (...argv: readonly string[]) => Promise<CliResult>;
}

function newStore(): Place {
  const cwd = temporaryDirectory();
  const flags = ['--data-dir', path.join(cwd, 'data'), '--plugins', PERSON_PLUGIN];
  return { cwd, flags, run: (...argv) => runCli([...argv, ...flags], { cwd }) };
}

async function importTexts(
  place: Place,
  texts: readonly string[],
  ...more: readonly string[]
): Promise<CliResult> {
  await putFiles(place.cwd, { 'in.ndjson': texts.join('') });
  return place.run('import', '-f', 'in.ndjson', ...more);
}

async function exported(place: Place): Promise<string> {
  const { code, out } = await place.run('export', 'persons', '-o', 'ndjson');
  expect(code).toBe(0);
  return out;
}

async function expectSound(place: Place): Promise<void> {
  const { code, out } = await place.run('check');
  expect(code, out).toBe(0);
}

/** An import whose input comes in parts. */
function startImport({ flags, cwd }: Place): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, 'import', '-f', '-', ...flags], {
    cwd,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It may be killed while it reads.
  child.stdin.on('error', () => undefined);
  return child;
}

describe('an import in several lots', () => {
  it('that was killed is completed by the next one, with the same result as one without interruption', async () => {
    const whole = newStore();
    expect(await importTexts(whole, lines)).toMatchObject({ code: 0, out: `${COUNT} created\n` });
    const broken = newStore();
    const child = startImport(broken);
    // The input does not end, so the import waits for the rest of the last lot.
    child.stdin?.write(lines.join(''));
    const readCount = async (): Promise<number> => {
      const { out } = await broken.run('export', 'persons', '-o', 'ndjson');
      return out.split('\n').length - 1;
    };
    await expect.poll(readCount).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'close');
    const before = await readCount();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(COUNT);
    expect(await importTexts(broken, lines)).toMatchObject({
      code: 0,
      out: `${COUNT - before} created, ${before} unchanged\n`,
    });
    expect(await exported(broken)).toBe(await exported(whole));
    await expectSound(broken);
  });

  it('reports bad lines in the order of the file, and stores the others', async () => {
    const place = newStore();
    const texts = lines.slice(0, COUNT);
    texts[3] = '{"kind"\n';
    texts[7_000] = line('wrong', { age: 'x' });
    texts[7_001] = '[]\n';
    texts[11_000] = line('same-mail', { email: `${nameOf(1)}@example.com` });
    const { code, out, err } = await importTexts(place, texts);
    expect([code, out]).toEqual([5, `${COUNT - 4} created, 4 failed\n`]);
    const places = [...err.matchAll(/^error: in\.ndjson:(\d+)/gm)].map(([, number]) => Number(number));
    expect(places).toEqual([4, 7_002, 7_001, 11_001]);
    await expectSound(place);
  });

  it('stops at a bad line of a later lot after its earlier errors', async () => {
    const place = newStore();
    const texts = lines.slice(0, COUNT);
    texts[100] = line('wrong', { age: 'x' });
    texts[6_000] = '{"kind"\n';
    texts[6_001] = '{"kind"\n';
    const { code, out, err } = await importTexts(place, texts, '--max-errors', '2');
    expect(code).toBe(5);
    const places = [...err.matchAll(/^error: in\.ndjson:(\d+)/gm)].map(([, number]) => Number(number));
    expect(places).toEqual([101, 6_001]);
    expect(out).toBe('4999 created, 2 failed\n');
  });

  it('refuses values of a unique index within a lot and across lots', async () => {
    const place = newStore();
    const taken = (i: number): object => ({ email: `${nameOf(i)}@example.com` });
    const texts = [
      ...lines.slice(0, 10),
      line('within', taken(5)),
      ...lines.slice(10),
      line('across', taken(7)),
    ];
    const { code, out, err } = await importTexts(place, texts);
    expect([code, out]).toEqual([4, `${COUNT} created, 2 failed\n`]);
    expect(err).toContain(`is already used by Person "${nameOf(5)}"`);
    expect(err).toContain(`is already used by Person "${nameOf(7)}"`);
    await expectSound(place);
  });

  it('stores a huge object among small ones', async () => {
    const place = newStore();
    const tags = Array.from({ length: 50 }, (_, i) => `${'x'.repeat(80)}${i}`);
    const huge = line('huge', { tags, address: { city: 'Graz', street: 'y'.repeat(200_000) } });
    const { out, err } = await importTexts(place, [...lines.slice(0, 50), huge, ...lines.slice(50, 100)]);
    expect(out, err).toBe('101 created\n');
    await expectSound(place);
  });

  it('is seen by a watch of another process, each object once and in order, while that writes the same names', async () => {
    const place = newStore();
    const dataDir = path.join(place.cwd, 'data');
    const daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN] });
    const stream = await openStream(`${daemon.url}${PERSONS}?watch=true&resourceVersion=0`);
    const importing = importTexts(place, lines);
    for (let i = 0; i < COUNT; i += 100)
      await daemon.send('POST', PERSONS, { body: person(nameOf(i), { age: 1 }) });
    expect((await importing).code).toBe(0);
    const isOfImport = (name: string | undefined): boolean => name?.startsWith('p-') === true;
    const added = (): string[] =>
      stream
        .events()
        .filter(({ type, object }) => type === 'ADDED' && isOfImport(object.metadata.name))
        .map(({ object }) => object.metadata.name ?? '');
    await expect.poll(() => added().length).toBe(COUNT);
    expect(new Set(added()).size).toBe(COUNT);
    const revisions = stream.events().map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    stream.destroy();
    await daemon.stop();
    await expectSound(place);
  });
});
