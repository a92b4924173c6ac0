import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AppendFile } from '../../src/audit/append-file.js';
import { LineWriter } from '../../src/audit/line-writer.js';
import { ServiceError } from '../../src/errors.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { openTestAudit } from '../helpers/audit.js';
import { mountSmallDisk, useSmallDisks } from '../helpers/small-disk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);
useSmallDisks();

/** Writes nothing anywhere: each write fails as on a full disk. */
const FULL = '/dev/full';
const UNKNOWN = 'no reason';

const newFile = (): string => path.join(temporaryDirectory(), 'audit.log');
const reasonOf = (open: () => unknown): string => {
  try {
    open();
    return UNKNOWN;
  } catch (error) {
    return error instanceof Error ? error.message : UNKNOWN;
  }
};

/** A file that counts its calls. */
class CountedFile extends AppendFile {
  calls = 0;

  override write(bytes: Uint8Array): number {
    this.calls++;
    return super.write(bytes);
  }
}

describe('the file', () => {
  it('is new with mode 0600, and gets that mode when it exists', () => {
    const [made, known] = [newFile(), newFile()];
    writeFileSync(known, 'earlier\n');
    chmodSync(known, 0o664);
    for (const file of [made, known]) {
      new AppendFile(file).close();
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(known, 'utf8')).toBe('earlier\n');
  });

  it('is refused when it is a directory, has none, or is a pipe without a reader', () => {
    const directory = temporaryDirectory();
    const pipe = path.join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(reasonOf(() => new AppendFile(directory))).toContain('EISDIR');
    expect(reasonOf(() => new AppendFile(path.join(directory, 'missing/audit.log')))).toContain('ENOENT');
    expect(reasonOf(() => new AppendFile(pipe))).toContain('ENXIO');
    expect(existsSync(path.join(directory, 'missing'))).toBe(false);
  });

  it('does not change the mode of a device', () => {
    const { mode } = statSync(FULL);
    new AppendFile(FULL).close();
    expect(statSync(FULL).mode).toBe(mode);
  });

  it('goes on after it was renamed or removed, until it is opened again', () => {
    const file = newFile();
    const target = new AppendFile(file);
    target.write(Buffer.from('1\n'));
    renameSync(file, `${file}.1`);
    target.write(Buffer.from('2\n'));
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('1\n2\n');
    target.reopen();
    target.write(Buffer.from('3\n'));
    expect([readFileSync(file, 'utf8'), readFileSync(`${file}.1`, 'utf8')]).toEqual(['3\n', '1\n2\n']);
    rmSync(file);
    target.write(Buffer.from('4\n'));
    expect(existsSync(file)).toBe(false);
    target.reopen();
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['', 0o600]);
    target.close();
  });

  it('stays the old one when its name cannot be opened again', () => {
    const file = newFile();
    const target = new AppendFile(file);
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    expect(reasonOf(() => target.reopen())).toContain('EISDIR');
    target.write(Buffer.from('still\n'));
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('still\n');
    target.close();
  });
});

describe('lines', () => {
  it('of one turn are written with one call, in their order, before those who wait go on', async () => {
    const file = newFile();
    const target = new CountedFile(file);
    const writer = new LineWriter({ target, logger: SILENT, isStrict: false });
    const lines = Array.from({ length: 64 }, (_, i) => `${i}\n`);
    const seen = await Promise.all(
      lines.map(async (line) => {
        await Promise.resolve();
        writer.add(line);
        await writer.written();
        return readFileSync(file, 'utf8').includes(line);
      }),
    );
    expect([target.calls, readFileSync(file, 'utf8')]).toEqual([1, lines.join('')]);
    expect(seen).not.toContain(false);
    target.close();
  });

  it('that are long are written with several calls, and are complete', () => {
    const file = newFile();
    const target = new CountedFile(file);
    const writer = new LineWriter({ target, logger: SILENT, isStrict: false });
    const lines = Array.from({ length: 10 }, (_, i) => `${String(i).repeat(100_000)}\n`);
    for (const line of lines) writer.add(line);
    writer.flush();
    expect([target.calls, readFileSync(file, 'utf8') === lines.join('')]).toEqual([5, true]);
    target.close();
  });

  it('begin on a new line when the file ends within one', () => {
    const file = newFile();
    writeFileSync(file, '{"cut');
    const { writer, target } = openTestAudit(file);
    writer.add('1\n');
    writer.add('2\n');
    writer.flush();
    expect(readFileSync(file, 'utf8')).toBe('{"cut\n1\n2\n');
    target.close();
  });
});

describe('on a full disk', () => {
  it('lines are lost, and the log says how many', () => {
    const { writer, messages } = openTestAudit(FULL);
    writer.add('1\n');
    writer.flush();
    writer.add('2\n');
    writer.add('3\n');
    writer.flush();
    const start = 'cannot write the audit log /dev/full: ENOSPC: no space left on device, write';
    expect(messages).toEqual([`${start}; 1 line was lost`, `${start}; 3 lines were lost`]);
    for (let i = 0; i < 100; i++) {
      writer.add('more\n');
      writer.flush();
    }
    expect(messages).toHaveLength(10);
    expect(() => writer.admit(false)).not.toThrow();
  });

  it('strictness refuses writes, except those of the start, and keeps lines until they can be written', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'audit.log');
    symlinkSync(FULL, file);
    const { writer, target, messages } = openTestAudit(file, { isStrict: true });
    let refused: unknown;
    try {
      writer.admit(false);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({
      code: 'ServiceUnavailable',
      message:
        'the audit log cannot be written (ENOSPC: no space left on device, write); ' +
        'writes are refused until it can be (--audit-strict)',
    });
    expect(() => writer.admit(true)).not.toThrow();
    writer.add('1\n');
    writer.flush();
    writer.add('2\n');
    expect(() => writer.admit(false)).toThrow('(--audit-strict)');
    rmSync(file);
    target.reopen();
    writer.restart();
    expect(() => writer.admit(false)).not.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('1\n2\n');
    expect(messages).toEqual([
      `cannot write the audit log ${file}: ENOSPC: no space left on device, write; writes are refused until it can be`,
      `the audit log ${file} can be written again; no line was lost`,
    ]);
    target.close();
  });

  it('strictness finds that the file can be written without a line of its own', () => {
    const file = newFile();
    const { writer, target } = openTestAudit(file, { isStrict: true });
    writer.admit(false);
    writer.admit(false);
    writer.add('{"a":1}\n');
    writer.flush();
    const text = readFileSync(file, 'utf8');
    expect([text, JSON.parse(text)]).toEqual([' {"a":1}\n', { a: 1 }]);
    target.close();
  });

  it('strictness keeps lines up to a limit', () => {
    const { writer, messages } = openTestAudit(FULL, { isStrict: true });
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let i = 0; i < 8; i++) writer.add(line);
    writer.flush();
    expect(() => writer.admit(true)).toThrow('(--audit-strict)');
    for (let i = 0; i < 10; i++) writer.add(line);
    writer.flush();
    expect(messages.at(-1)).toMatch(/; 2 lines were lost$/);
    writer.close();
    expect(messages.at(-1)).toMatch(/; 18 lines were lost$/);
  });
});

const disk = mountSmallDisk(1024 * 1024);

describe.skipIf(disk === undefined)('on a small disk', () => {
  const fillUp = (): string => {
    const file = path.join(disk?.directory ?? '', 'audit.log');
    rmSync(file, { force: true });
    disk?.fill(900 * 1024);
    return file;
  };
  const line = (i: number): string => `${JSON.stringify({ i, text: 'x'.repeat(10_000) })}\n`;
  const wholeLines = (file: string): unknown[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .flatMap((text) => {
        try {
          return [(JSON.parse(text) as { readonly i: number }).i];
        } catch {
          return [];
        }
      });

  it('a line that was cut off does not damage the next ones', () => {
    const file = fillUp();
    const { writer, target, messages } = openTestAudit(file);
    for (let i = 0; i < 40; i++) writer.add(line(i));
    writer.flush();
    expect(messages.at(-1)).toMatch(/only \d+ of \d+ bytes were written; \d+ lines were lost$/);
    const before = wholeLines(file);
    disk?.empty();
    for (const i of [100, 101]) writer.add(line(i));
    writer.flush();
    expect(messages.at(-1)).toBe(
      `the audit log ${file} can be written again; ${40 - before.length} lines were lost`,
    );
    expect(wholeLines(file)).toEqual([...before, 100, 101]);
    target.close();
  });

  it('strictness loses no line', () => {
    const file = fillUp();
    const { writer, target } = openTestAudit(file, { isStrict: true });
    for (let i = 0; i < 40; i++) writer.add(line(i));
    writer.flush();
    expect(() => writer.admit(false)).toThrow('(--audit-strict)');
    disk?.empty();
    expect(() => writer.admit(false)).not.toThrow();
    expect(wholeLines(file)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    target.close();
  });
});

it('a pipe whose reader is slow never blocks', () => {
  const pipe = path.join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const { writer, target, messages } = openTestAudit(pipe);
  for (let i = 0; i < 200; i++) writer.add(`${'x'.repeat(1_000)}\n`);
  writer.flush();
  expect(messages.at(-1)).toMatch(/lines were lost$/);
  target.close();
  closeSync(reader);
});
