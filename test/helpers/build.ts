import { execFileSync } from 'node:child_process';

/** Tests that run the program run what was compiled from the present source. A suite that a test runs finds it. */
export default function build(): void {
  if (process.env.TEST_BUILT !== undefined) return;
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  for (const step of [tsc, ['bundle.mjs'], ['bundle-console.mjs']]) {
    execFileSync(process.execPath, step, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' });
  }
}
