import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupFault, receiveBackup, sealBackup } from '../../../src/admin/backup-file.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PLUGINS = [path.join(EXAMPLE_PLUGINS, 'person')];
const FLAGS = PLUGINS.flatMap((directory) => ['--plugins', directory]);
const BACKUPS = '/apis/api.platform.run/v1alpha1/backups';

afterAll(() => {
  killDaemons();
  removeDirectories();
});

type Ended = Awaited<ReturnType<typeof runProgram>>;

/** A store with so many persons of about 1 KB. */
async function makeStore(count: number): Promise<string> {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const file = path.join(temporaryDirectory(), 'persons.ndjson');
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      apiVersion: 'demo.example.com/v1alpha1',
      kind: 'Person',
      ...person(`p${i}`, { age: i % 150, address: { city: 'x'.repeat(800) } }),
    }),
  );
  writeFileSync(file, lines.join('\n'));
  expect(await runProgram(['import', '-f', file, '--data-dir', dataDir, ...FLAGS])).toMatchObject({
    code: 0,
  });
  return dataDir;
}

async function countIn(dataDir: string): Promise<number> {
  const listed = await runProgram(['get', 'persons', '-o', 'name', '--data-dir', dataDir]);
  return listed.stdout.split('\n').length - 1;
}

const restore = (file: string, dataDir: string): Promise<Ended> =>
  runProgram(['restore', file, '--force', '--data-dir', dataDir]);

describe('a backup', () => {
  let store: string;
  let directory: string;

  beforeAll(async () => {
    store = await makeStore(20);
  });

  const backUp = (name: string, ...more: string[]): Promise<Ended> =>
    runProgram(['backup', path.join(directory, name), '--data-dir', store, ...more]);

  it('is one file for its owner alone, is replaced only by force, and brings everything back', async () => {
    directory = temporaryDirectory();
    const made = await backUp('deep/one');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^backed up \d+ objects of \d+ models to \S+ \([\d.]+ [KM]iB, revision \d+\)\n$/,
    );
    // Those of Kubernetes that each store has are among them.
    const objects = Number(/up (\d+) objects/.exec(made.stdout)?.[1]);
    expect(objects).toBeGreaterThan(20);
    const file = path.join(directory, 'deep', 'one');
    expect(readdirSync(path.dirname(file))).toEqual(['one']);
    expect([statSync(file).isFile(), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
    expect(await backUp('deep/one')).toMatchObject({ code: 4, stdout: '' });
    expect(await backUp('deep/one', '--force')).toMatchObject({ code: 0 });

    const dataDir = path.join(directory, 'data');
    const restored = await restore(file, dataDir);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toMatch(new RegExp(`^restored ${objects} objects of \\d+ models to `));
    expect(await countIn(dataDir)).toBe(20);
    expect(readdirSync(dataDir).filter((name) => name.includes('partial'))).toEqual([]);
    expect(await runProgram(['check', '--data-dir', dataDir, ...FLAGS])).toMatchObject({ code: 0 });
    const again = await runProgram(['restore', file, '--data-dir', dataDir]);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('--force replaces it')]);
  });

  it('goes into no directory, nor over the store, and is not made of nothing', async () => {
    directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'photos'));
    const into = await backUp('photos', '--force');
    expect([into.code, into.stderr]).toEqual([
      4,
      expect.stringContaining('a backup is one file, for example'),
    ]);
    const over = await runProgram(['backup', path.join(store, 'data.mdb'), '--force', '--data-dir', store]);
    expect([over.code, over.stderr]).toEqual([5, expect.stringContaining('is the store itself')]);
    const cwd = temporaryDirectory();
    const nothing = await runProgram(['backup', path.join(cwd, 'b'), '--data-dir', path.join(cwd, 'none')]);
    expect([nothing.code, readdirSync(cwd)]).toEqual([6, []]);
    expect(await countIn(store)).toBe(20);
  });

  it('is restored from a file that is one, and says what else it got', async () => {
    directory = temporaryDirectory();
    const dataDir = path.join(directory, 'data');
    const from = async (name: string): Promise<readonly [number | null, string]> => {
      const { code, stderr } = await runProgram(['restore', name, '--data-dir', dataDir]);
      return [code, stderr];
    };
    expect(await from(path.join(directory, 'nowhere'))).toEqual([
      3,
      expect.stringContaining('there is no backup in'),
    ]);
    expect(await from(store)).toEqual([5, expect.stringContaining('a backup is one file')]);
    expect(await from(path.join(store, 'data.mdb'))).toEqual([
      5,
      expect.stringContaining('is the data file of a store (use xsvc backup to write a backup of it)'),
    ]);
    const own = await runProgram(['restore', path.join(store, 'data.mdb'), '--force', '--data-dir', store]);
    expect([own.code, own.stderr]).toEqual([5, expect.stringContaining('is the store itself')]);
    expect(existsSync(path.join(dataDir, 'data.mdb'))).toBe(false);
  });
});

describe('a backup that is not as it was made', () => {
  let good: string;
  let store: string;

  beforeAll(async () => {
    store = await makeStore(300);
    good = path.join(temporaryDirectory(), 'good');
    expect(await runProgram(['backup', good, '--data-dir', store])).toMatchObject({ code: 0 });
  });

  it.each<[string, (file: string) => void, RegExp]>([
    ['cut in half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2)), /is truncated/],
    ['one byte short', (file) => truncateSync(file, statSync(file).size - 1), /is truncated/],
    ['one byte longer', (file) => appendFileSync(file, 'x'), /has extra bytes/],
    ['twice itself', (file) => appendFileSync(file, readFileSync(file)), /was changed after it was written/],
    ['empty', (file) => truncateSync(file, 0), /it is empty/],
    ['short', (file) => writeFileSync(file, 'x'), /the file is not a backup/],
    ['something else', (file) => writeFileSync(file, 'x'.repeat(100_000)), /the file is not a backup/],
  ])('is refused with 5 and why, and the store stays, when it is %s', async (_what, damage, why) => {
    const file = path.join(temporaryDirectory(), 'damaged');
    copyFileSync(good, file);
    damage(file);
    const refused = await restore(file, store);
    expect(refused).toMatchObject({ code: 5, stdout: '', signal: null });
    expect(refused.stderr).toMatch('is not a usable backup');
    expect(refused.stderr).toMatch(why);
    expect(await countIn(store)).toBe(300);
    expect(readdirSync(store).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('is refused with both digests where one bit differs', async () => {
    const file = path.join(temporaryDirectory(), 'flipped');
    const bytes = readFileSync(good);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const dataDir = path.join(temporaryDirectory(), 'data');
    const refused = await restore(file, dataDir);
    expect(refused).toMatchObject({ code: 5, stdout: '', signal: null });
    expect(refused.stderr).toMatch(
      /the recorded SHA-256 is [0-9a-f]{64}, the actual one is [0-9a-f]{64}; use another copy/,
    );
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is detected whichever bit differs, in every region', async () => {
    const seed = seedOfRun();
    console.log(`flipped bits of a backup: SEED=${seed}`);
    const random = new Random(seed);
    const bytes = readFileSync(good);
    const { length } = bytes;
    const regions: readonly (readonly [number, number])[] = [
      [0, 4096],
      [4096, 64 * 1024],
      [64 * 1024, length - 400],
      // The content, its length, the magic, the digest.
      [length - 130, length - 44],
      [length - 44, length - 40],
      [length - 40, length - 32],
      [length - 32, length],
    ];
    const target = temporaryDirectory();
    const accepts = async (content: Buffer, name: string): Promise<boolean> => {
      const parts = (async function* () {
        for (let at = 0; at < length; at += 100_000)
          yield await Promise.resolve(content.subarray(at, at + 100_000));
      })();
      try {
        await receiveBackup(parts, path.join(target, name));
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(BackupFault);
        return false;
      } finally {
        truncateSync(path.join(target, name), 0);
      }
    };
    expect(await accepts(bytes, 'good')).toBe(true);
    const accepted: string[] = [];
    for (const [from, to] of regions)
      for (let i = 0; i < 30; i++) {
        const [at, bit] = [from + random.below(to - from), random.below(8)];
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        if (await accepts(bytes, `${at}-${bit}-${i}`)) accepted.push(`byte ${at} bit ${bit}`);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      }
    expect(accepted, `seed ${seed}`).toEqual([]);
  });
});

describe('a backup whose digest is right', () => {
  it('is opened and checked all the same before it takes the place of a store', async () => {
    const store = await makeStore(5);
    const file = path.join(temporaryDirectory(), 'b');
    expect(await runProgram(['backup', file, '--data-dir', store])).toMatchObject({ code: 0 });
    const content = path.join(temporaryDirectory(), 'content');
    const parts = (async function* () {
      yield await Promise.resolve(readFileSync(file));
    })();
    const facts = await receiveBackup(parts, content);
    truncateSync(content, facts.bytes);
    const bytes = readFileSync(content);
    for (let at = bytes.indexOf('"keyType":'); at >= 0; at = bytes.indexOf('"keyType":', at + 1))
      bytes[at] = 0;
    writeFileSync(content, bytes);
    await sealBackup(content, facts);
    const dataDir = path.join(temporaryDirectory(), 'data');
    const refused = await restore(content, dataDir);
    expect(refused).toMatchObject({ code: 5, stdout: '', signal: null });
    expect(refused.stderr).toMatch(/is not a usable backup: the copy is inconsistent: .*JSON/);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

describe('a store of which the disk has changed a record', () => {
  it('names the object in every answer that would have it, and lets no backup be made', async () => {
    const dataDir = await makeStore(5);
    const file = path.join(dataDir, 'data.mdb');
    const bytes = readFileSync(file);
    const name = '"name":"p3"';
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) bytes[at + 9] = 0x39;
    writeFileSync(file, bytes);
    const said = /the stored record of Person "p3" is damaged; run `xsvc check`, and restore a backup/;
    for (const args of [
      ['get', 'persons', 'p3'],
      ['get', 'persons'],
      ['delete', 'persons', 'p3'],
    ]) {
      const ended = await runProgram([...args, '--data-dir', dataDir, ...FLAGS]);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(said);
    }
    const checked = await runProgram(['check', '--data-dir', dataDir, ...FLAGS]);
    expect(checked.code).toBe(1);
    expect(checked.stdout + checked.stderr).toMatch(/Person.*p3.* its record is damaged; restore a backup/);
    const made = await runProgram(['backup', path.join(temporaryDirectory(), 'b'), '--data-dir', dataDir]);
    expect(made.code).not.toBe(0);
    expect(made.stderr).toMatch(/the copy is inconsistent: Person "p3": its record is damaged/);

    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    for (const url of [`${PERSONS}/p3`, `${PERSONS}?size=10`]) {
      const answer = await fetch(`${daemon.url}${url}`);
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({
        reason: 'InternalError',
        message: expect.stringMatching(
          /Person "p3" is damaged; .*; see the service log, id [-0-9a-f]{36}$/,
        ) as string,
        details: { kind: 'Person', name: 'p3' },
      });
    }
    expect((await fetch(`${daemon.url}${PERSONS}/p4`)).status).toBe(200);
  });
});

describe('a backup of a server', () => {
  let daemon: DaemonProcess;
  let dataDir: string;
  let admin: string;

  beforeAll(async () => {
    // More than the system takes for a client that does not read.
    dataDir = await makeStore(8_000);
    // Remains of a process that was killed during a backup.
    const left = `backup.partial-${encodeURIComponent(`${hostname()}/4194999/x`)}-1`;
    mkdirSync(path.join(dataDir, left));
    writeFileSync(path.join(dataDir, left, 'data.mdb'), 'half');
    daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS, flags: ['--auth', 'token'] });
    admin = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
  });

  afterAll(async () => {
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  const partials = (): string[] => readdirSync(dataDir).filter((name) => name.includes('partial'));

  const fetchBackup = (target: string, token: string, ...more: string[]): Promise<Ended> =>
    runProgram(['backup', target, '--server', daemon.url, '--token', token, ...more]);

  /** Asks for a backup and takes nothing of it but the head. */
  function openBackup(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${admin}` };
      const sent = request(`${daemon.url}${BACKUPS}`, { method: 'POST', headers, agent: false }, resolve);
      sent.on('error', reject).end();
    });
  }

  it('is streamed as the same file, checked, while others write', async () => {
    expect(partials()).toEqual([]);
    const directory = temporaryDirectory();
    const target = path.join(directory, 'b');
    const headers = { authorization: `Bearer ${admin}` };
    const over = new AbortController();
    const writing = (async () => {
      for (let i = 0; !over.signal.aborted; i++)
        expect((await daemon.send('POST', PERSONS, { headers, body: person(`w${i}`) })).status).toBe(201);
    })();
    const made = await fetchBackup(target, admin);
    over.abort();
    await writing;
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^backed up \d{4,} objects of \d+ models to /);
    expect(readdirSync(directory)).toEqual(['b']);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(partials()).toEqual([]);
    expect(await fetchBackup(target, admin)).toMatchObject({ code: 4 });
    expect(await fetchBackup(target, admin, '--force')).toMatchObject({ code: 0 });
    const restored = path.join(directory, 'data');
    expect(await restore(target, restored)).toMatchObject({ code: 0 });
    expect(await countIn(restored)).toBeGreaterThanOrEqual(2_003);
    expect(await runProgram(['check', '--data-dir', restored, ...FLAGS])).toMatchObject({ code: 0 });
  });

  it('is for those with the right to it', async () => {
    const role = async (name: string, verbs: readonly string[]): Promise<string> => {
      const rules = [{ apiGroups: ['api.platform.run'], resources: ['backups'], verbs }];
      const made = await daemon.send('POST', '/apis/access.platform.run/v1alpha1/roles', {
        headers: { authorization: `Bearer ${admin}` },
        body: { metadata: { name }, rules },
      });
      expect(made.status).toBe(201);
      const args = ['token', 'create', '--user', name, '--role', name, '--data-dir', dataDir];
      return (await runProgram(args)).stdout.trim();
    };
    const directory = temporaryDirectory();
    const target = path.join(directory, 'b');
    const reader = await fetchBackup(target, await role('reader', ['get', 'list']));
    expect([reader.code, reader.stderr]).toEqual([
      1,
      expect.stringContaining('user "reader" may not create backups in group "api.platform.run"'),
    ]);
    expect(await fetchBackup(target, '')).toMatchObject({ code: 1 });
    expect(readdirSync(directory)).toEqual([]);
    expect(await fetchBackup(target, await role('keeper', ['create']))).toMatchObject({ code: 0 });
  });

  it('that is taken slowly holds neither the store nor a name in its directory', async () => {
    const [first, second] = await Promise.all([openBackup(), openBackup()]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect(partials()).toEqual([]);
    const children = `/proc/${daemon.pid}/task/${daemon.pid}/children`;
    if (existsSync(children)) expect(readFileSync(children, 'utf8').trim()).toBe('');
    const third = await openBackup();
    expect([third.statusCode, Number(third.headers['retry-after'])]).toEqual([429, 30]);
    third.resume();
    first.destroy();
    second.resume();
    await once(second, 'end');
    expect(second.complete).toBe(true);
    // A client that left makes room for the next.
    const next = await openBackup();
    expect([next.statusCode, partials()]).toEqual([200, []]);
    next.destroy();
  });

  it('that does not arrive as it was sent is refused, and leaves nothing', async () => {
    const good = path.join(temporaryDirectory(), 'good');
    expect(await fetchBackup(good, admin)).toMatchObject({ code: 0 });
    const whole = readFileSync(good);
    const flipped = Buffer.from(whole);
    flipped[5_000] = (flipped[5_000] ?? 0) ^ 1;
    const bodies = [
      whole.subarray(0, -1),
      flipped,
      Buffer.concat([whole, Buffer.from('x')]),
      Buffer.from('hello'),
    ];
    const server = createServer((_req, res) => res.end(bodies.shift()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const directory = temporaryDirectory();
    while (bodies.length > 0) {
      const refused = await runProgram(['backup', path.join(directory, 'b'), '--server', url]);
      expect([refused.code, refused.stdout]).toEqual([6, '']);
      expect(refused.stderr).toMatch(/^error: the answer of http:\/\/\S+ is not a usable backup: /);
      expect(readdirSync(directory)).toEqual([]);
    }
    server.close();
  });
});
