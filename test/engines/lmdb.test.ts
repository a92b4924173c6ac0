import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { temporaryDirectory } from '../helpers/store.js';
import { engineSuite } from './engine-contract.js';

engineSuite('in LMDB', () => {
  const directory = temporaryDirectory();
  return Promise.resolve(() => openLmdb(directory));
});
