#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const loader = fileURLToPath(new URL('../dist/bundle/load.cjs', import.meta.url));

if (existsSync(loader)) {
  // A signal that comes while the program loads is kept for the program, which listens before anything else runs.
  const signals = process.argv[2] === 'serve' ? ['SIGINT', 'SIGTERM'] : [];
  const keep = () => undefined;
  for (const signal of signals) process.on(signal, keep);
  const { main } = createRequire(import.meta.url)(loader).load('main');
  const done = main();
  for (const signal of signals) process.off(signal, keep);
  await done;
} else {
  console.error('xsvc is not built yet: run "npm run build" first');
  process.exitCode = 1;
}
