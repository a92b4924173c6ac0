import { afterAll, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess } from '../helpers/daemon.js';
import { PERSONS } from '../helpers/http.js';
import { temporaryDirectory } from '../helpers/store.js';

afterAll(() => killDaemons());

interface Warning {
  readonly level: number;
  readonly ms: number;
  readonly msg: string;
  readonly explanation: object;
}

function warnings(stderr: string): Warning[] {
  return stderr
    .split('\n')
    .filter((line) => line.includes('a list of'))
    .map((line) => JSON.parse(line) as Warning);
}

/** Sends lists in three forms, and requests that must not count as lists. @returns the warnings about them */
async function logged(flags: readonly string[]): Promise<{ explained: object; lines: Warning[] }> {
  const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), flags });
  const list = `${PERSONS}?fieldSelector=metadata.name!=bert&size=2`;
  await daemon.get(list);
  await daemon.get(PERSONS);
  await daemon.send('GET', list, { headers: { accept: 'application/yaml' } });
  const explained = (await daemon.get(`${list}&explain=true`)).json();
  await daemon.get(`${PERSONS}/ada`);
  await daemon.stop();
  return { explained, lines: warnings(daemon.output.stderr) };
}

it('a list that takes as long as --slow-list is logged with its explanation', async () => {
  const { explained, lines } = await logged(['--slow-list', '0']);
  expect(lines).toHaveLength(3);
  const [first, whole, yaml] = lines;
  expect(first?.msg).toMatch(/^a list of persons\.demo\.example\.com\/v1alpha1 took \d+ ms: /);
  expect([first?.level, Number.isInteger(first?.ms)]).toEqual([40, true]);
  const { condition, total, objectsRead } = explained as Record<string, unknown>;
  for (const line of [first, yaml])
    expect(line?.explanation).toMatchObject({ condition, total, objectsRead });
  expect(whole?.explanation).toMatchObject({ total: 3, objectsRead: 3 });
  expect(Object.keys(yaml?.explanation ?? {})).toEqual(
    Object.keys(explained).filter((key) => key !== 'resource' && key !== 'description'),
  );
});

it('no list is logged that is faster, nor without the flag', async () => {
  expect((await logged(['--slow-list', '1h'])).lines).toEqual([]);
  expect((await logged([])).lines).toEqual([]);
});
