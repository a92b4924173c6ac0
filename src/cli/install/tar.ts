import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { badRequest, formatExcerpt, getMessage } from '../../errors.js';

/** The limits of a plugin's archive. */
export interface ArchiveLimits {
  /** Of all files together, unpacked, with the heads of the archive. */
  readonly bytes: number;
  readonly files: number;
}

/** A regular file of an archive. */
export interface ArchivedFile {
  /** Relative, with `/`; without `.` and `..`. */
  readonly path: string;
  readonly bytes: Buffer;
}

const BLOCK = 512;
const NAME = { at: 0, length: 100 } as const;
const SIZE = { at: 124, length: 12 } as const;
const CHECKSUM = { at: 148, length: 8 } as const;
const TYPE_AT = 156;
const PREFIX = { at: 345, length: 155 } as const;
const PATH_LENGTH_MAX = 1_000;
const unpack = promisify(gunzip);

/**
 * The regular files of a `.tgz`, as `npm pack` writes it: ustar, with long names in the form of POSIX or GNU.
 * @throws ServiceError `BadRequest` for links, devices, paths out of the archive, and archives beyond the limits
 */
export async function readArchive(zipped: Buffer, limits: ArchiveLimits): Promise<readonly ArchivedFile[]> {
  const archive = await unzip(zipped, limits.bytes);
  const files = new Map<string, ArchivedFile>();
  // Of the next file, when its head has no place for it.
  let longPath: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length;) {
    const head = archive.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) break;
    checkHead(head);
    const size = readNumber(head, SIZE);
    const begin = at + BLOCK;
    if (begin + size > archive.length) throw badRequest('the archive ends within a file');
    const bytes = archive.subarray(begin, begin + size);
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(head[TYPE_AT] ?? 0);
    if (type === 'x' || type === 'L') {
      longPath = type === 'x' ? readPaxPath(bytes) : readText(bytes);
      continue;
    }
    if (type === 'g') continue;
    const path = longPath ?? joined(readText(slice(head, PREFIX)), readText(slice(head, NAME)));
    longPath = undefined;
    const segments = checkPath(path);
    if (type === '5') continue;
    if (type !== '0' && type !== '\0')
      throw badRequest(
        `"${formatExcerpt(path)}" is a link or a device; only files and directories are allowed`,
      );
    const clean = segments.join('/');
    // Also where a file system does not distinguish the case of letters.
    const key = clean.toLowerCase();
    if (files.has(key)) throw badRequest(`"${formatExcerpt(path)}" is in the archive twice`);
    files.set(key, { path: clean, bytes });
    if (files.size > limits.files) throw badRequest(`the archive has more than ${limits.files} files`);
  }
  return [...files.values()];
}

async function unzip(zipped: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await unpack(zipped, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError)
      throw badRequest(`the archive has more than ${bytesMax} bytes, unpacked`);
    throw badRequest(`it is not a .tgz archive: ${getMessage(error)}`);
  }
}

/** @throws ServiceError `BadRequest` for a path that leaves the directory, or is not portable */
export function checkPath(path: string): readonly string[] {
  const refuse = (reason: string): Error => badRequest(`the path "${formatExcerpt(path)}" ${reason}`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refuse('is absolute');
  // eslint-disable-next-line no-control-regex -- no file has them in its name
  if (/[\u0000-\u001f\\]/.test(path)) throw refuse('has control characters or backslashes');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refuse('leads out of the plugin');
  if (segments.length === 0 || path.length > PATH_LENGTH_MAX) throw refuse('is empty or too long');
  return segments;
}

interface Part {
  readonly at: number;
  readonly length: number;
}

const slice = (head: Buffer, { at, length }: Part): Buffer => head.subarray(at, at + length);

/** A text up to the first zero byte. */
function readText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function joined(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Octal digits, as all archives of this size have them. */
function readNumber(head: Buffer, part: Part): number {
  const text = readText(slice(head, part)).trim();
  if (!/^[0-7]{0,11}$/.test(text)) throw badRequest('the archive has a number that is not octal');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function checkHead(head: Buffer): void {
  const stated = readNumber(head, CHECKSUM);
  let sum = 0;
  for (const [i, byte] of head.entries()) {
    const isChecksum = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length;
    // Its own place counts as spaces.
    sum += isChecksum ? 32 : byte;
  }
  if (sum !== stated) throw badRequest('the archive is damaged: a checksum is wrong');
}

/** The `path` of records such as `27 path=a/long/name\n`. */
function readPaxPath(bytes: Buffer): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const length = Number(bytes.toString('latin1', at, space));
    if (space === -1 || !Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length)
      throw badRequest('the archive has a malformed extended head');
    const record = bytes.toString('utf8', space + 1, at + length - 1);
    if (record.startsWith('path=')) path = record.slice('path='.length);
    if (record.startsWith('size=') || record.startsWith('linkpath='))
      throw badRequest('the archive has a file that is too large, or a link');
    at += length;
  }
  return path;
}
