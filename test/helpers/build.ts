import { execFileSync } from 'node:child_process';

/** Tests that run the program run what was compiled from the present source. */
export default function build(): void {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  for (const step of [tsc, ['bundle.mjs']]) {
    execFileSync(process.execPath, step, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' });
  }
}
