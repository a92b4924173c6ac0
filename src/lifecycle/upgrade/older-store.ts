import { asBuffer } from '../../lib/bytes.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import type {
  Engine,
  Freshness,
  KeyRange,
  KeyValue,
  ScanOptions,
  Snapshot,
  VisitPair,
  VisitValue,
} from '../../store/engine.js';
import { upgradedFact } from '../../store/format.js';
import { FAMILY } from '../../store/index/keys.js';
import type { FormatStep } from './step.js';

type Steps = readonly Pick<FormatStep, 'read'>[];

/**
 * A store of an older format, opened for reading only, as if it was upgraded: its objects are those of the present
 * format, and the indexes that the upgrade would add are missing. Nothing is written.
 */
export function readOlderStore(engine: Engine, steps: Steps): Engine {
  return {
    get: (key, freshness?: Freshness) => upgradedGet(steps, key, () => engine.get(key, freshness)),
    follow(key, next) {
      let last: Uint8Array = key;
      const found = engine.follow(key, (value) => (last = next(value)));
      return mapMaybe(found, (value) => value && upgradedValue(steps, last, value));
    },
    snapshot: (freshness) => olderSnapshot(engine.snapshot(freshness), steps),
    commit: (...given) => engine.commit(...given),
    onOtherCommit: (listener) => engine.onOtherCommit(listener),
    writeProblem: () => engine.writeProblem(),
    countSetbacks: () => engine.countSetbacks(),
    clearDeadReaders: () => engine.clearDeadReaders(),
    sharedLog: () => engine.sharedLog(),
    foldLog: () => engine.foldLog(),
    close: () => engine.close(),
  };
}

function olderSnapshot(snapshot: Snapshot, steps: Steps): Snapshot {
  return {
    get: (key) => upgradedGet(steps, key, () => snapshot.get(key)),
    getMany: (keys) =>
      mapMaybe(snapshot.getMany(keys), (values) =>
        values.map((value, i) => value && upgradedValue(steps, keys[i] ?? value, value)),
      ),
    visitMany(keys, visit: VisitValue) {
      let at = 0;
      return snapshot.visitMany(keys, (value) => {
        const key = keys[at++];
        visit(value && key && upgradedValue(steps, key, value));
      });
    },
    scan: (range: KeyRange, options: ScanOptions) =>
      mapMaybe(snapshot.scan(range, options), (pairs) =>
        pairs.map(({ key, value }): KeyValue => ({ key, value: upgradedValue(steps, key, value) })),
      ),
    scanInPlace: (range, options, visit: VisitPair) =>
      snapshot.scanInPlace(range, options, (value, key) => {
        if (key.bytes[key.start] !== FAMILY.OBJECT) return visit(value, key);
        return visit(upgradedRecord(steps, value), key);
      }),
    close: () => snapshot.close(),
  };
}

function upgradedGet(
  steps: Steps,
  key: Uint8Array,
  read: () => MaybePromise<Buffer | undefined>,
): MaybePromise<Buffer | undefined> {
  const fact = upgradedFact(key);
  return fact === undefined
    ? mapMaybe(read(), (value) => value && upgradedValue(steps, key, value))
    : fact.value;
}

function upgradedValue(steps: Steps, key: Uint8Array, value: Buffer): Buffer {
  return asBuffer(key)[0] === FAMILY.OBJECT ? upgradedRecord(steps, value) : value;
}

/** A value in place may have memory after its end, and is copied. */
function upgradedRecord(steps: Steps, record: Uint8Array): Buffer {
  const copy: Buffer = Buffer.from(record.subarray(0, record.length));
  return steps.reduce((present, { read }) => read(present), copy);
}
