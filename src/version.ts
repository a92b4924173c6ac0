import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly devDependencies: { readonly typescript: string; readonly vitest: string };
}

/** The version of this program, from its package.json. */
export function ownVersion(): string {
  return readManifest().version;
}

/** The compiler and the test runner that a project for this program's plugins requests from npm. */
export function toolRanges(): Manifest['devDependencies'] {
  const { typescript, vitest } = readManifest().devDependencies;
  return { typescript: `^${typescript}`, vitest: `^${vitest}` };
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}
