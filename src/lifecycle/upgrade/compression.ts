import { endUpgrade } from '../../store/format.js';
import type { FormatStep } from './step.js';

/** Nothing is rewritten: from now on, records may be compressed with a dictionary of their model. */
export const COMPRESSION: FormatStep = {
  from: 5,
  to: 6,
  description: 'objects are compressed when they are written',
  begin: () => undefined,
  run: ({ engine, stillMine }) =>
    engine.commit((tx) => {
      stillMine(tx);
      endUpgrade(tx);
    }),
  read: (record) => record,
};
