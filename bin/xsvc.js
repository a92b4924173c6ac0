#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/bundle/main.js', import.meta.url);

if (existsSync(main)) {
  await (await import(main.href)).main();
} else {
  console.error('xsvc is not built yet: run "npm run build" first');
  process.exitCode = 1;
}
