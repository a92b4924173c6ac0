import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { addBrand, type ConsoleBrand } from './brand.js';

/** A file of the page in the form for sending. */
export interface PageFile {
  readonly type: string;
  /** A strong entity tag of the bytes, without quotes. */
  readonly tag: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** True when the name changes with the bytes, so that browsers may cache the file permanently. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** The build adds a hash of eight letters and digits to the names of the page's files. */
const HASHED = /-[A-Z0-9]{8}\.\w+$/;

const gzipped = promisify(gzip);

/** The files of the built console. Each is read on first use, and cached. */
export class PageFiles {
  readonly #files = new Map<string, Promise<PageFile>>();
  #names: Promise<ReadonlySet<string>> | undefined;

  /** @param brand is added to every page in HTML */
  constructor(
    private readonly directory: string,
    private readonly brand: ConsoleBrand = {},
  ) {}

  /** A file by its name; undefined when it does not exist. */
  async find(name: string): Promise<PageFile | undefined> {
    this.#names ??= namesIn(this.directory);
    const names = await this.#names;
    // A build while the service runs does not require a restart.
    if (names.size === 0) this.#names = undefined;
    if (!names.has(name)) return undefined;
    let file = this.#files.get(name);
    if (file === undefined) {
      file = readPageFile(path.join(this.directory, name), this.brand);
      file.catch(() => this.#files.delete(name));
      this.#files.set(name, file);
    }
    return file;
  }
}

/** Empty when the page was not built. */
async function namesIn(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory).catch(() => []);
  return new Set(names.filter((name) => path.extname(name) in TYPES));
}

async function readPageFile(file: string, brand: ConsoleBrand): Promise<PageFile> {
  const extension = path.extname(file);
  const read = await readFile(file);
  const bytes = extension === '.html' ? Buffer.from(addBrand(read.toString(), brand)) : read;
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    tag: createHash('sha256').update(bytes).digest('base64url'),
    bytes,
    gzipped: await gzipped(bytes),
    isImmutable: HASHED.test(file),
  };
}
