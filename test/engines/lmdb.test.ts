import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { temporaryDirectory } from '../helpers/store.js';
import { engineContract } from './engine-contract.js';

engineContract('in LMDB', () => {
  const directory = temporaryDirectory();
  return Promise.resolve(() => openLmdb(directory));
});
