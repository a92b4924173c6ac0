import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly devDependencies: { readonly typescript: string };
}

/** The version of this program, from its package.json. */
export function ownVersion(): string {
  return readManifest().version;
}

/** The compiler that a project for this program's plugins requests from npm. */
export function typescriptRange(): string {
  return `^${readManifest().devDependencies.typescript}`;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}
