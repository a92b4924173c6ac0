import { parseArgs } from 'node:util';
import { createServer, createServerModuleRunner } from 'vite';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    focus: { type: 'string' },
    medium: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
const server = await createServer({
  configFile: false,
  root: new URL('../../', import.meta.url).pathname,
  logLevel: 'error',
  esbuild: { target: 'es2022' },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
const { runSeed } = await createServerModuleRunner(server.environments.ssr).import('/test/simulation/run.ts');
const { focus, medium } = values;
const options = { focus, medium, ...(values.trace && { trace: (line) => console.log(line) }) };
const first = Number(values.seed);
const began = performance.now();
let failures = 0;
for (let seed = first; seed < first + Number(values.seeds); seed++)
  await runSeed(seed, options).catch((error) => {
    failures++;
    console.error(error.message);
  });
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
console.log(`${values.seeds} seeds from ${first} on in ${seconds} s: ${failures} failed`);
await server.close();
process.exitCode = failures > 0 ? 1 : 0;
