import type { Engine } from '../../src/store/engine.js';

export interface CountedSnapshots {
  readonly engine: Engine;
  /** Snapshots that were opened and not closed. */
  open(): number;
}

/**
 * An engine that counts its snapshots: one that is never closed pins old data for ever.
 * @param onRead called before each read of a snapshot
 */
export function countSnapshots(engine: Engine, onRead: () => void = () => undefined): CountedSnapshots {
  let open = 0;
  return {
    open: () => open,
    engine: {
      get: (key) => engine.get(key),
      follow: (key, next) => engine.follow(key, next),
      commit: (body, options) => engine.commit(body, options),
      writeProblem: () => engine.writeProblem(),
      countSetbacks: () => engine.countSetbacks(),
      clearDeadReaders: () => engine.clearDeadReaders(),
      close: () => engine.close(),
      foldLog: () => engine.foldLog(),
      sharedLog: () => engine.sharedLog(),
      onOtherCommit: (listener) => engine.onOtherCommit(listener),
      snapshot() {
        const snapshot = engine.snapshot();
        open++;
        return {
          get: (key) => (onRead(), snapshot.get(key)),
          getMany: (keys) => (onRead(), snapshot.getMany(keys)),
          visitMany: (keys, visit) => (onRead(), snapshot.visitMany(keys, visit)),
          scan: (range, options) => (onRead(), snapshot.scan(range, options)),
          scanInPlace: (range, options, visit) => (onRead(), snapshot.scanInPlace(range, options, visit)),
          close() {
            open--;
            snapshot.close();
          },
        };
      },
    },
  };
}
