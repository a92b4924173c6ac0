import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.js';
import { LAST_APPLIED } from '../../src/model/applied-manifests.js';
import { ROLES } from '../../src/access/models.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { AUTHOR, BOOK } from '../helpers/library.js';
import { testIo } from './helpers.js';

const library = useGuardedLibrary();

const APPLIED = { labels: { app: 'shop' }, annotations: { [LAST_APPLIED]: '{}' } };
const FILE = `apiVersion: library.example.com/v1
kind: Book
metadata: { name: kept, labels: { app: shop } }
`;
const WRITE = ['get', 'list', 'create', 'patch', 'update', 'delete'];
const MODELS = { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] };
const BOOKS = { apiGroups: ['library.example.com'], resources: ['books'], verbs: WRITE };

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const xsvcAs = (token: string, ...argv: string[]): Promise<Ended> => xsvcAt(library.url(), token, argv);

async function xsvcAt(url: string, token: string, argv: readonly string[]): Promise<Ended> {
  const io = testIo({ env: { XSVC_SERVER: url, XSVC_TOKEN: token }, stdin: stream() });
  const code = await run([...argv, '-f', '-', '-l', 'app=shop'], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

/** Runs a command through a proxy that calls `before` with the method of each request. */
async function xsvcThrough(
  before: (method: string) => Promise<void>,
  token: string,
  ...argv: string[]
): Promise<Ended> {
  const proxy = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(Buffer.from(chunk as Uint8Array));
      const { method = 'GET', url = '/', headers } = req;
      await before(method);
      const { authorization = '', 'content-type': type = 'application/json' } = headers;
      const body = chunks.length === 0 ? null : Buffer.concat(chunks);
      const answer = await fetch(library.url() + url, {
        method,
        headers: { authorization, 'content-type': type },
        body,
      });
      const text = await answer.text();
      res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  try {
    return await xsvcAt(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, token, argv);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

async function* stream(): AsyncGenerator<string> {
  yield FILE;
}

async function createApplied(): Promise<void> {
  await library.service().create(BOOK, { metadata: { name: 'old', ...APPLIED } });
  await library.service().create(AUTHOR, { metadata: { name: 'ann', ...APPLIED } });
}

const SKIPPED = /^not searched for objects to prune, because you may not list them: .*authors/m;

describe('a user who may write books only', () => {
  it('prunes books, is told which models were not searched, and no object of those is deleted', async () => {
    await createApplied();
    const ci = await library.tokenFor('ci', BOOKS, MODELS);
    const seen = await xsvcAs(ci, 'diff', '--prune');
    expect([seen.code, seen.err]).toEqual([10, expect.stringMatching(SKIPPED)]);
    expect(seen.out).toMatch(/^--- books\/old \(live\)\n\+\+\+ \/dev\/null$/m);
    const applied = await xsvcAs(ci, 'apply', '--prune', '--atomic');
    expect([applied.code, applied.out]).toEqual([0, 'books/kept created\nbooks/old pruned\n']);
    expect(applied.err).toMatch(SKIPPED);
    expect(applied.err).not.toContain('platform.run');
    expect(await library.service().count(AUTHOR)).toBe(1);
    expect((await xsvcAs(ci, 'diff', '--prune')).code).toBe(0);
  });

  it('searches only the models that --prune-allowlist names, and skips those that it may not list', async () => {
    await createApplied();
    const ci = await library.tokenFor('ci', BOOKS, MODELS);
    const books = await xsvcAs(ci, 'apply', '--prune', '--prune-allowlist', 'books');
    expect([books.code, books.err]).toEqual([0, 'to be pruned: books/old\n']);
    const authors = await xsvcAs(ci, 'apply', '--prune', '--prune-allowlist', 'authors');
    expect([authors.code, authors.err]).toEqual([0, expect.stringMatching(SKIPPED)]);
    expect(await library.service().count(AUTHOR)).toBe(1);
    const unknown = await xsvcAs(ci, 'apply', '--prune', '--prune-allowlist', 'nothings');
    expect([unknown.code, unknown.out]).toEqual([3, '']);
    expect(unknown.err).toMatch(/^error: .*nothings/m);
  });
});

describe('a user who loses the right to delete', () => {
  it('gets the error, and nothing is stored or deleted', async () => {
    await createApplied();
    const ci = await library.tokenFor('ci', BOOKS, MODELS);
    const rules = [{ ...BOOKS, verbs: WRITE.filter((verb) => verb !== 'delete') }, MODELS];
    let writes = 0;
    const revoke = async (method: string): Promise<void> => {
      if (method !== 'POST' || ++writes !== 1) return;
      await library.service().patch(ROLES, 'ci', { rules }, 'merge');
    };
    const applied = await xsvcThrough(revoke, ci, 'apply', '--prune');
    expect(writes).toBe(1);
    expect([applied.code, applied.out]).toEqual([1, '']);
    expect(applied.err).toMatch(/user "ci" may not delete books/);
    const left = await library.service().list(BOOK);
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['old']);
  });
});

describe('a user who may do everything', () => {
  it('does not prune objects of the platform, unless their model is named', async () => {
    const token = await library.tokenFor('root', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }];
    await library.service().create(ROLES, { metadata: { name: 'reader', ...APPLIED }, rules });
    const plain = await xsvcAs(token, 'diff', '--prune');
    expect(plain.out).not.toContain('roles/reader');
    const named = await xsvcAs(token, 'diff', '--prune', '--prune-allowlist', 'roles');
    expect(named.out).toMatch(/^--- roles\/reader \(live\)$/m);
  });
});

describe('the flags', () => {
  it('of pruning need each other', async () => {
    const io = testIo();
    expect(await run(['diff', '-f', '-', '--prune'], io)).toBe(2);
    expect(io.stderr.text).toMatch(/^error: --prune needs -l/);
    const other = testIo();
    expect(await run(['apply', '-f', '-', '--prune-allowlist', 'books'], other)).toBe(2);
    expect(other.stderr.text).toMatch(/^error: --prune-allowlist needs --prune/);
    const past = testIo();
    expect(await run(['diff', 'books', 'a', '--from', '1', '--prune', '-l', 'a=b'], past)).toBe(2);
    expect(past.stderr.text).toMatch(/^error: --prune needs -f/);
  });
});
