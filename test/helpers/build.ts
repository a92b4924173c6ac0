import { execFileSync } from 'node:child_process';

/** Tests that run the program run what was compiled from the present source. */
export default function build(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: new URL('../..', import.meta.url),
    stdio: 'inherit',
  });
}
