import { describe, expect, it } from 'vitest';
import { getMessage } from '../../../src/errors.js';
import { Places } from '../../../src/http/admission/places.js';

const LIMITS = { perSender: 2, total: 3, waitingPerSender: 2, waitingTotal: 3, waitMs: 60_000 };
const never = new AbortController().signal;

/** Asks for a place, and writes into the list when there is one. */
function ask(places: Places, sender: string, granted: string[], signal = never): Promise<unknown> {
  return places.take(sender, signal).then(
    (isGranted) => granted.push(isGranted ? sender : `${sender} gone`),
    (error: unknown) => granted.push(`${sender} refused: ${getMessage(error)}`),
  );
}

/** Lets all promises settle that need nothing from outside. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('places for expensive work', () => {
  it('are given to a sender up to its share, and to all up to the total', async () => {
    const places = new Places(LIMITS);
    const granted: string[] = [];
    for (const sender of ['a', 'a', 'a', 'b', 'b']) void ask(places, sender, granted);
    await settle();
    expect(granted).toEqual(['a', 'a', 'b']);
    expect([places.running, places.waiting]).toEqual([3, 2]);
  });

  it('go to senders in turn, and within a sender to the first request', async () => {
    const places = new Places({ ...LIMITS, perSender: 1, total: 1 });
    const granted: string[] = [];
    for (const sender of ['a', 'a', 'a', 'b']) void ask(places, sender, granted);
    for (const sender of ['a', 'a', 'b', 'a']) {
      await settle();
      places.giveBack(sender);
    }
    expect(granted).toEqual(['a', 'a', 'b', 'a']);
    expect([places.running, places.waiting]).toEqual([0, 0]);
  });

  it('do not go to a sender that has its share while another one waits', async () => {
    const places = new Places(LIMITS);
    const granted: string[] = [];
    for (const sender of ['a', 'a', 'b', 'a', 'b']) void ask(places, sender, granted);
    await settle();
    places.giveBack('b');
    await settle();
    expect(granted).toEqual(['a', 'a', 'b', 'b']);
  });

  it('are refused with a time to come back when too many of the sender wait', async () => {
    const places = new Places(LIMITS);
    const granted: string[] = [];
    for (let i = 0; i < 4; i++) void ask(places, 'a', granted);
    await expect(places.take('a', never)).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterSeconds: 5 },
    });
    expect(places.refused).toBe(1);
    // Others still wait, and get one.
    await ask(places, 'b', granted);
    expect(granted).toEqual(['a', 'a', 'b']);
  });

  it('are refused when too many of all senders wait', async () => {
    const places = new Places(LIMITS);
    const granted: string[] = [];
    for (const sender of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) void ask(places, sender, granted);
    await settle();
    expect(granted).toEqual(['a', 'b', 'c', expect.stringMatching(/^g refused/)]);
  });

  it('are not kept for a request that does not wait any more', async () => {
    const places = new Places({ ...LIMITS, perSender: 1 });
    const granted: string[] = [];
    const gone = new AbortController();
    void ask(places, 'a', granted);
    void ask(places, 'a', granted, gone.signal);
    gone.abort();
    await settle();
    expect(granted).toEqual(['a', 'a gone']);
    places.giveBack('a');
    expect([places.running, places.waiting]).toEqual([0, 0]);
  });

  it('are refused to a request that has waited too long', async () => {
    const places = new Places({ ...LIMITS, perSender: 1, waitMs: 1 });
    const granted: string[] = [];
    void ask(places, 'a', granted);
    await ask(places, 'a', granted);
    expect(granted).toEqual([
      'a',
      'a refused: the request waited 0.001 s for other expensive requests; try again later, or send cheaper requests',
    ]);
    expect(places.waiting).toBe(0);
  });
});
