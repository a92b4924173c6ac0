import { MemoryLog, MemoryServer } from '../../engines/memory-log.js';
import { verbsOn } from './verbs-on.js';

verbsOn('a store in a shared log in memory', () => {
  const server = new MemoryServer();
  return Promise.resolve(() => Promise.resolve(new MemoryLog(server)));
});
