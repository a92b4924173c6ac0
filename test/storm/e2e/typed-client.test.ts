import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

let daemon: DaemonProcess;

beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data') });
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

/** Code of a front-end developer; the compiler checks every line against the description. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Person = components['schemas']['Person'];
// Lists and objects are also described as streams of changes.
const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2] ?? '' });
const persons = '/apis/demo.example.com/v1alpha1/persons';

const person: Person = {
  apiVersion: 'demo.example.com/v1alpha1',
  kind: 'Person',
  metadata: { name: 'typed' },
  spec: { name: 'Typed', age: 7, gender: 'FEMALE', tags: ['typed'] },
};
const created = await client.POST(persons, { body: person, params: { query: { fieldValidation: 'Strict' } } });
const age: number | undefined = created.data?.spec.age;

const list = await client.GET(persons, {
  params: { query: { fieldSelector: 'spec.tags=typed', sort: ['spec.age,desc'], page: 1, size: 10 } },
});
const names: (string | undefined)[] = list.data?.items.map((item) => item.metadata.name) ?? [];
const total: number | undefined = list.data?.total;

const missing = await client.GET(\`\${persons}/{name}\`, { params: { path: { name: 'nobody' } } });
const reason: string | undefined = missing.error?.reason;

const refused = await client.POST(persons, { body: { ...person, spec: { name: 'x', age: 1000 } } });
const field: string | undefined = refused.error?.details.causes?.[0]?.field;

const found = await client.GET('/apis/console.api.demo.example.com/v1alpha1/persons', {
  params: { query: { keyword: 'TYPED', minAge: 7 } },
});
const searched: string[] = found.data?.items.map((item) => item.spec.name) ?? [];

const moved = await client.PUT('/apis/uc.api.demo.example.com/v1alpha1/persons/{name}/address', {
  params: { path: { name: 'typed' } },
  body: { city: 'London' },
});
const city: string | undefined = moved.data?.spec.address?.city;

const card = await client.GET('/apis/api.demo.example.com/v1alpha1/persons/{name}/card', {
  params: { path: { name: 'typed' } },
});
const interests: string[] = card.data?.interests ?? [];

// @ts-expect-error: the description knows the values of the field
const wrong: Person['spec']['gender'] = 'OTHER';
void wrong;
const status = created.response.status;
console.log(JSON.stringify({ status, age, names, total, reason, field, searched, city, interests }));
`;

function run(file: string, url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, url], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (part) => (text += String(part)));
    child.stderr.on('data', (part) => (text += String(part)));
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}

describe('a client generated from the description', () => {
  it('compiles, and gets what its types say', async () => {
    const directory = temporaryDirectory();
    const document = JSON.parse((await daemon.get('/v3/api-docs')).text) as Parameters<typeof openapiTS>[0];
    writeFileSync(path.join(directory, 'api.ts'), astToString(await openapiTS(document)));
    writeFileSync(path.join(directory, 'main.ts'), PROGRAM);
    writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      path.join(directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          target: 'ES2022',
          module: 'NodeNext',
          moduleResolution: 'NodeNext',
          lib: ['ES2023', 'DOM', 'DOM.Iterable'],
          types: ['node'],
          skipLibCheck: true,
          outDir: 'out',
        },
        files: ['main.ts'],
      }),
    );
    mkdirSync(path.join(directory, 'out'));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
    expect(compile(directory)).toBe('');
    expect(JSON.parse(await run(path.join(directory, 'out/main.js'), daemon.url))).toEqual({
      status: 201,
      age: 7,
      names: ['typed'],
      total: 1,
      reason: 'NotFound',
      field: 'spec.age',
      searched: ['Typed'],
      city: 'London',
      interests: ['typed'],
    });
  });
});

/** Errors of the compiler; empty when it accepts the program. */
function compile(directory: string): string {
  try {
    execFileSync(process.execPath, [TSC, '-p', directory], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}
