import { MemoryEngine, MemoryStore } from '../../src/testing/memory-engine.js';
import { engineSuite } from './engine-contract.js';

engineSuite('in memory', () => {
  const store = new MemoryStore();
  return Promise.resolve(() => Promise.resolve(new MemoryEngine(store)));
});
