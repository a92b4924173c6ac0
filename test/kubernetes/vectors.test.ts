import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../src/kubernetes/bodies.js';
import { readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';

const DATA = new URL('../../src/kubernetes/data/messages.ts', import.meta.url);
const [VERSION = ''] = /v\d+\.\d+\.\d+/.exec(readFileSync(DATA, 'utf8')) ?? [];
const MODULES = [
  ['k8s.io/api', 'testdata/HEAD'],
  ['k8s.io/apiextensions-apiserver', 'pkg/apis/testdata/HEAD'],
] as const;

interface Vector {
  readonly name: string;
  readonly json: unknown;
  readonly bytes: Buffer;
}

/** The objects that Kubernetes ships in each of its encodings; undefined without Go, or without its modules. */
function findVectors(): readonly Vector[] | undefined {
  try {
    return MODULES.flatMap(([name, below]) => vectorsIn(path.join(download(name), below)));
  } catch {
    return undefined;
  }
}

function download(name: string): string {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${name}@${VERSION}`], {
    cwd: tmpdir(),
    encoding: 'utf8',
    timeout: 100_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

function vectorsIn(directory: string): Vector[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, text: readFileSync(path.join(directory, file), 'utf8') }))
    .filter(({ text }) => isKnown(text))
    .map(({ file, text }) => ({
      name: path.basename(file, '.json'),
      json: JSON.parse(text) as unknown,
      bytes: readFileSync(path.join(directory, file.replace(/json$/, 'pb'))),
    }));
}

function isKnown(text: string): boolean {
  const { apiVersion, kind } = JSON.parse(text) as { readonly apiVersion: string; readonly kind: string };
  return messageOf(apiVersion, kind) !== undefined;
}

const vectors = findVectors();
const title = `the objects of Kubernetes${vectors === undefined ? ' (left out: Go or its modules are not there)' : ''}`;

describe.skipIf(vectors === undefined)(title, () => {
  it('are all there', () => {
    expect(vectors?.length).toBeGreaterThanOrEqual(48);
  });

  it.each(vectors ?? [])('are in protobuf what they are in JSON: $name', ({ json, bytes }) => {
    expect(readKubernetesBody(bytes)).toEqual(json);
  });
});
