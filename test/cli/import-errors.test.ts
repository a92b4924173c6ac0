import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { person, PERSON_REF, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let server: TestServer;
let cwd = '';
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  await server.clear();
  cwd = temporaryDirectory();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

async function importLines(lines: readonly string[], ...flags: readonly string[]): Promise<CliResult> {
  await putFiles(cwd, { 'in.ndjson': `${lines.join('\n')}\n` });
  const argv = ['import', '-f', path.join(cwd, 'in.ndjson'), ...flags];
  return runCli(argv, { cwd, env: { XSVC_SERVER: server.url } });
}

const line = (name: string, spec: object = {}): string =>
  JSON.stringify({ apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...person(name, spec) });
const many = (count: number, spec: object, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, i) => line(`${prefix}-${i}`, spec));
const errorsIn = ({ err }: CliResult): number =>
  err.split('\n').filter((text) => text.startsWith('error:')).length;

describe('the errors of an import', () => {
  it('about a whole file have no counts', async () => {
    await putFiles(cwd, { 'in.csv': 'nme,spec.name\na,b\n' });
    const argv = ['import', 'persons', '-f', path.join(cwd, 'in.csv')];
    const { code, out, err } = await runCli(argv, { cwd, env: { XSVC_SERVER: server.url } });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('"nme" is not a field of persons');
  });

  it('are printed up to 20, then counted, and the other objects are stored', async () => {
    const result = await importLines([...many(30, { age: 'x' }), line('good')]);
    expect([result.code, errorsIn(result)]).toEqual([5, 20]);
    expect(result.err).toContain('and 10 more errors\n');
    expect(result.out).toBe('1 created, 30 failed\n');
    expect((await server.service.list(PERSON_REF)).total).toBe(1);
  });

  it('stop it after --max-errors within a batch: no later object is written', async () => {
    const lines = [
      line('first'),
      ...many(2, { age: 'x' }),
      line('between'),
      ...many(40, { age: 'x' }, 'q'),
      line('last'),
    ];
    const result = await importLines(lines, '--max-errors', '3');
    expect([result.code, errorsIn(result), result.out]).toEqual([5, 3, '2 created, 3 failed\n']);
    expect(result.err).toContain('stopped after 3 errors (--max-errors)');
    expect(await server.service.listNames(PERSON_REF)).toEqual(['between', 'first']);
  });

  it('stop it after --max-errors; earlier batches stay', async () => {
    const lines = [
      ...many(1_500, { age: 1 }, 'good'),
      ...many(30, { age: 'x' }),
      ...many(1_500, { age: 1 }, 'later'),
    ];
    const result = await importLines(lines, '--max-errors', '2');
    expect([result.code, errorsIn(result)]).toEqual([5, 2]);
    expect(result.err).toContain('stopped after 2 errors (--max-errors)');
    const { total } = await server.service.list(PERSON_REF);
    expect(result.out).toMatch(new RegExp(`^${total} created, \\d+ failed\\n$`));
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(3_000);
  });

  it('stop it also where no line can be read, and print as many as were asked for', async () => {
    const result = await importLines(
      Array.from({ length: 100 }, () => '{"kind"'),
      '--max-errors',
      '30',
    );
    expect([result.code, errorsIn(result), result.out]).toEqual([5, 30, '0 created, 30 failed\n']);
    expect((await importLines([line('a')], '--max-errors', '0')).code).toBe(2);
  });

  it('name the object once', async () => {
    await server.service.create(PERSON_REF, person('first', { email: 'a@example.com' }));
    const { err } = await importLines([line('dup', { email: 'a@example.com' })]);
    expect(err).toMatch(/in\.ndjson:1: /);
    expect(err.match(/dup/g)).toHaveLength(1);
  });
});

describe('an empty page', () => {
  it('is not one of none', async () => {
    const env = { XSVC_SERVER: server.url };
    const { err } = await runCli(['get', 'persons', '--size', '10'], { cwd, env });
    expect(err).not.toContain('of 0');
  });
});
