import { randomBytes } from 'node:crypto';
import { type ServiceError, unavailable } from '../errors.js';
import { readU48, u48 } from '../lib/bytes.js';
import type { Engine, Transaction } from './engine.js';
import { metaKey } from './index/keys.js';
import { withSnapshot } from './with-snapshot.js';

/** Version of the layout described in `keys.ts`, and of what every record contains. */
export const FORMAT = 6;

const FORMAT_KEY = metaKey('format');
const SECRET_KEY = metaKey('secret');
const PROGRAM_KEY = metaKey('program');
const UPGRADE_KEY = metaKey('upgrade');

/**
 * Length of the secret that signs continue tokens of lists and tickets. Created with the store, so that tokens outlive the
 * process.
 */
const SECRET_BYTES = 32;

export interface StoreFormat {
  /** Undefined when the store states none that this program can read. */
  readonly number: number | undefined;
  /** The version of the program that wrote this format first; undefined for a format before 5. */
  readonly program: string | undefined;
  /** The position of an upgrade to this format that has not finished; undefined without one. */
  readonly upgrade: UpgradePosition | undefined;
}

/** The work of an upgrade that is done. It is stored in the commits of the upgrade, so that none is repeated. */
export interface UpgradePosition {
  /** The model whose objects are being rewritten. */
  readonly modelId: number;
  /** Its objects up to this id are done. */
  readonly after: number;
  /** Number of objects of all models that are done. */
  readonly done: number;
}

export interface FormatOptions {
  readonly readOnly?: boolean;
  readonly program?: string | undefined;
}

/** Undefined for an empty store. */
export function readFormat(engine: Engine): Promise<StoreFormat | undefined> {
  return withSnapshot(engine, async (snapshot) => {
    const format = await snapshot.get(FORMAT_KEY);
    if (format === undefined) return undefined;
    const upgrade = await snapshot.get(UPGRADE_KEY);
    return {
      number: format.length === 6 ? readU48(format) : undefined,
      program: (await snapshot.get(PROGRAM_KEY))?.toString(),
      upgrade: upgrade && (JSON.parse(upgrade.toString()) as UpgradePosition),
    };
  });
}

/** Begins an upgrade. From then on programs of the former format refuse to open the store. */
export function beginUpgrade(tx: Transaction, format: number, program: string | undefined): void {
  tx.put(FORMAT_KEY, u48(format));
  if (program !== undefined) tx.put(PROGRAM_KEY, Buffer.from(program));
  putUpgrade(tx, { modelId: 0, after: 0, done: 0 });
}

export function putUpgrade(tx: Transaction, position: UpgradePosition): void {
  tx.put(UPGRADE_KEY, Buffer.from(JSON.stringify(position)));
}

export function endUpgrade(tx: Transaction): void {
  tx.remove(UPGRADE_KEY);
}

/**
 * The values of keys that state the format, for readers of an older store that see it as if it was upgraded;
 * undefined for another key.
 */
export function upgradedFact(key: Uint8Array): { readonly value: Buffer | undefined } | undefined {
  if (FORMAT_KEY.equals(key)) return { value: u48(FORMAT) };
  return UPGRADE_KEY.equals(key) ? { value: undefined } : undefined;
}

/**
 * Checks the format, and writes it into an empty store. Returns the secret of the store.
 * @throws ServiceError `ServiceUnavailable` for another format, or an upgrade that has not finished
 */
export async function checkFormat(engine: Engine, options: FormatOptions): Promise<Buffer> {
  const format = await readFormat(engine);
  if (format === undefined)
    return options.readOnly === true
      ? randomBytes(SECRET_BYTES)
      : engine.commit((tx) => writeFormat(tx, options.program));
  const secret = await engine.get(SECRET_KEY);
  if (format.number === FORMAT && format.upgrade === undefined && secret !== undefined) return secret;
  throw otherFormat(format, options.program);
}

/** Another process may have been first. */
function writeFormat(tx: Transaction, program: string | undefined): Buffer {
  const known = tx.get(SECRET_KEY);
  if (known !== undefined) return known;
  const secret = randomBytes(SECRET_BYTES);
  tx.put(FORMAT_KEY, u48(FORMAT));
  tx.put(SECRET_KEY, secret);
  if (program !== undefined) tx.put(PROGRAM_KEY, Buffer.from(program));
  return secret;
}

/** The error for a store that this program cannot use. */
export function otherFormat({ number, program }: StoreFormat, own: string | undefined): ServiceError {
  const supports = `this version${own === undefined ? '' : ` (${own})`} supports format ${FORMAT}`;
  if (number !== undefined && number > FORMAT) {
    const needed = program === undefined ? 'a newer version of xsvc' : `xsvc ${program} or newer`;
    return unavailable(`the store has format ${number}, ${supports}; use ${needed}`);
  }
  if (number === FORMAT) return unavailable('the upgrade of the store did not finish; start the service');
  return unavailable(
    `the store has format ${number ?? 'unknown'}, ${supports}; export it with ` +
      '`xsvc export --all --with-status` of the version that created it, and import the file with `xsvc import` into a new data directory',
  );
}
