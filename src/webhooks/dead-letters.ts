import { asBuffer } from '../lib/bytes.js';
import type { JsonObject } from '../model/object.js';
import type { Engine, Transaction } from '../store/engine.js';
import { metaKey, under } from '../store/index/keys.js';
import type { ChangeType } from '../store/log/log.js';
import { removeRange, withSnapshot } from '../store/with-snapshot.js';
import type { Fence } from '../store/fence.js';
import type { Queued } from './lanes.js';
import { progressIn, putProgress } from './progress.js';

/** A change that could not be delivered. */
export interface DeadLetter {
  readonly id: string;
  readonly type: ChangeType;
  readonly resourceVersion: string;
  /** Of the change, RFC 3339. */
  readonly time: string;
  readonly group: string;
  readonly kind: string;
  /** The full name of the object. */
  readonly name: string;
  readonly attempts: number;
  readonly lastError: string;
  /** Of the last attempt, RFC 3339. */
  readonly lastTime: string;
}

interface StoredDeadLetter extends DeadLetter {
  readonly modelId: number;
  /** True when it must be sent again. */
  readonly isAgain?: boolean;
  readonly body: string;
}

/** A dead letter without its request. */
interface ReadDeadLetter extends Omit<StoredDeadLetter, 'body'> {
  /** Of its request. */
  readonly bytes: number;
}

/** Letters of a webhook that are kept; older ones are removed. */
const KEPT_MAX = 10_000;
/** Letters that are read at a time. */
const PAGE = 100;
const DIGITS = 15;

function letterKey(uid: string, revision: number): Buffer {
  return metaKey(`deadletter/${uid}/${String(revision).padStart(DIGITS, '0')}`);
}

/** The dead letters of one webhook, for the process that sends. */
export class DeadLetters {
  #count = 0;
  /** The revision of the last letter that was read; undefined at the end. */
  #readTo: number | undefined = 0;

  constructor(
    private readonly engine: Pick<Engine, 'snapshot' | 'commit'>,
    private readonly fence: Pick<Fence, 'guard'>,
    private readonly uid: string,
  ) {}

  /** The next ones that must be sent again; none at the end. */
  async readAgain(): Promise<readonly Queued[]> {
    while (this.#readTo !== undefined) {
      const page = await readPage(this.engine, this.uid, this.#readTo);
      this.#count += page.length;
      this.#readTo = page.length < PAGE ? undefined : Number(page.at(-1)?.resourceVersion);
      const again = page.filter(({ isAgain }) => isAgain === true);
      if (again.length > 0) return again.map(queued);
    }
    return [];
  }

  /** The body of a letter; undefined when it is gone. */
  async bodyOf(revision: number): Promise<Buffer | undefined> {
    const value = await withSnapshot(this.engine, (snapshot) => snapshot.get(letterKey(this.uid, revision)));
    return value && Buffer.from((JSON.parse(value.toString()) as StoredDeadLetter).body);
  }

  /** Stores a dead letter, or the result of another attempt. The oldest one is removed when there are too many. */
  async put(delivery: Queued, body: Buffer, lastError: string): Promise<void> {
    const { id, type, group, kind, name, modelId, attempts, revision, timeMs, isAgain } = delivery;
    const letter: StoredDeadLetter = {
      ...{ id, type, group, kind, name, modelId, attempts, lastError },
      resourceVersion: String(revision),
      time: new Date(timeMs).toISOString(),
      lastTime: new Date().toISOString(),
      body: body.toString(),
    };
    const isFull = !isAgain && this.#count >= KEPT_MAX;
    await this.engine.commit((tx) => {
      this.fence.guard(tx);
      tx.put(letterKey(this.uid, revision), Buffer.from(JSON.stringify(letter)));
      const oldest = isFull ? tx.first(lettersOf(this.uid)) : undefined;
      if (oldest !== undefined) tx.remove(oldest.key);
    });
    if (!isAgain && !isFull) this.#count += 1;
  }

  async remove(revision: number): Promise<void> {
    await this.engine.commit((tx) => {
      this.fence.guard(tx);
      tx.remove(letterKey(this.uid, revision));
    });
    this.#count -= 1;
  }
}

/** Dead letters, oldest first. */
export interface DeadLetterPage {
  readonly items: readonly DeadLetter[];
  /** For the next page; absent after the last one. */
  readonly continue?: string;
}

/** The dead letters of a webhook after a revision, without their requests. */
export async function readDeadLetters(
  engine: Pick<Engine, 'snapshot'>,
  uid: string,
  after = 0,
): Promise<DeadLetterPage> {
  const page = await readPage(engine, uid, after);
  const items = page.map(({ bytes: _bytes, modelId: _modelId, isAgain: _isAgain, ...item }) => item);
  const last = items.at(-1);
  return last === undefined || items.length < PAGE ? { items } : { items, continue: last.resourceVersion };
}

function queued(letter: ReadDeadLetter): Queued {
  const { id, type, group, kind, name, modelId, bytes, time, resourceVersion } = letter;
  return {
    ...{ id, type, group, kind, name, modelId, bytes },
    body: undefined,
    timeMs: Date.parse(time),
    revision: Number(resourceVersion),
    attempts: 0,
    isAgain: true,
  };
}

/** At most {@link PAGE} letters after a revision. */
async function readPage(
  engine: Pick<Engine, 'snapshot'>,
  uid: string,
  after: number,
): Promise<readonly ReadDeadLetter[]> {
  const letters: ReadDeadLetter[] = [];
  const range = { ...lettersOf(uid), after: letterKey(uid, after) };
  await withSnapshot(engine, (snapshot) =>
    snapshot.scanInPlace(range, { limit: PAGE }, (value) => {
      const { body, ...letter } = JSON.parse(asBuffer(value).toString()) as StoredDeadLetter;
      return letters.push({ ...letter, bytes: Buffer.byteLength(body) }) > 0;
    }),
  );
  return letters;
}

/**
 * Makes a webhook send its dead letters again.
 * @returns their number
 */
export async function replayDeadLetters(
  engine: Pick<Engine, 'snapshot' | 'commit'>,
  uid: string,
): Promise<number> {
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: readonly ReadDeadLetter[] = await readPage(engine, uid, after);
    const keys = page.map(({ resourceVersion }) => letterKey(uid, Number(resourceVersion)));
    count += await engine.commit((tx) => keys.filter((key) => markAgain(tx, key)).length);
    after = page.length < PAGE ? undefined : Number(page.at(-1)?.resourceVersion);
  }
  if (count > 0)
    await engine.commit((tx) => {
      const progress = progressIn(tx, uid);
      if (progress !== undefined) putProgress(tx, uid, { ...progress, epoch: progress.epoch + 1 });
    });
  return count;
}

/** @returns false when the letter is gone */
function markAgain(tx: Transaction, key: Buffer): boolean {
  const value = tx.get(key);
  if (value === undefined) return false;
  const letter: JsonObject = { ...(JSON.parse(value.toString()) as JsonObject), isAgain: true };
  tx.put(key, Buffer.from(JSON.stringify(letter)));
  return true;
}

/** Removes all letters of a webhook. */
export async function dropDeadLetters(
  engine: Pick<Engine, 'snapshot' | 'commit'>,
  uid: string,
): Promise<void> {
  await removeRange(engine, lettersOf(uid), PAGE);
}

function lettersOf(uid: string): ReturnType<typeof under> {
  return under(metaKey(`deadletter/${uid}/`));
}
