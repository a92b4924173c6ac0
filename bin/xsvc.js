#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/bundle/main.js', import.meta.url);

if (existsSync(program)) {
  // A service that is asked to end while its program loads has nothing to end.
  const signals = process.argv[2] === 'serve' ? ['SIGINT', 'SIGTERM'] : [];
  const end = () => process.exit(0);
  for (const signal of signals) process.on(signal, end);
  const { main } = await import(program.href);
  const done = main();
  // Not before the program itself listens: a signal that comes in between would be lost.
  for (const signal of signals) process.off(signal, end);
  await done;
} else {
  console.error('xsvc is not built yet: run "npm run build" first');
  process.exitCode = 1;
}
