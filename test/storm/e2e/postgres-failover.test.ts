import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { killDaemons, runProgram, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { startPostgresPair, usePostgres } from '../../helpers/postgres.js';
import { startOn } from '../../helpers/shared-daemon.js';
import { removeDirectories } from '../../helpers/store.js';
import { openStream, type OpenStream } from '../../helpers/watching.js';

usePostgres();
afterEach(killDaemons);
afterAll(removeDirectories);

const WRITERS = 16;

/** Answers to the clients of two daemons. */
interface Told {
  readonly created: string[];
  readonly others: number[];
}

/** Creates persons through both daemons until it is over. */
async function write(
  daemons: readonly DaemonProcess[],
  reported: Told,
  isOver: () => boolean,
): Promise<void> {
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const daemon = daemons[writer % daemons.length];
      for (let i = 0; !isOver(); i += 1) {
        const name = `w${writer}-${i}`;
        const status = (await daemon?.send('POST', PERSONS, { body: person(name) }))?.status;
        if (status === 201) reported.created.push(name);
        else reported.others.push(status ?? 0);
      }
    }),
  );
}

/** Names and revisions in the events of a watch, in its order. */
function seenBy(watch: OpenStream): { readonly names: string[]; readonly revisions: number[] } {
  const events = watch.events().filter(({ type }) => type === 'ADDED');
  return {
    names: events.map(({ object }) => object.metadata.name ?? ''),
    revisions: events.map(({ object }) => Number(object.metadata.resourceVersion)),
  };
}

it('clients of two daemons see nothing of a fail-over but a pause: writes are kept, and watches tell of each once, in order', async () => {
  const { primary, standby } = await startPostgresPair(true);
  const store = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  // However long the fail-over takes on a busy machine.
  const flags = ['--store-timeout', '300s'];
  const daemons = [await startOn(store, flags), await startOn(store, flags)];
  const [first] = daemons;
  if (first === undefined) throw new Error('no daemon');
  const { resourceVersion } = (await first.get(`${PERSONS}?size=1`)).json().metadata;
  const watches = await Promise.all(
    daemons.map(({ url }) =>
      openStream(`${url}${PERSONS}?watch=1&resourceVersion=${String(resourceVersion)}`),
    ),
  );
  let isOver = false;
  const reported: Told = { created: [], others: [] };
  const writing = write(daemons, reported, () => isOver);
  const createsMore = (count: number): Promise<void> => {
    const enough = reported.created.length + count;
    return expect.poll(() => reported.created.length, { timeout: 300_000 }).toBeGreaterThanOrEqual(enough);
  };
  await createsMore(100);
  await primary.kill();
  await sleep(500);
  await standby.promote();
  await createsMore(100);
  isOver = true;
  await writing;
  const { created, others } = reported;
  expect(others).toEqual([]);
  for (const watch of watches) {
    await watch.take(created.length);
    const { names, revisions } = seenBy(watch);
    expect(names.toSorted()).toEqual(created.toSorted());
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(revisions.length);
    watch.destroy();
  }
  for (const daemon of daemons)
    expect(await runProgram(['check', '--server', daemon.url])).toMatchObject({ code: 0, stdout: '' });
});
