import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { badRequest, formatExcerpt, getMessage, notFound, unavailable } from '../../errors.js';
import { MANIFEST_FILE } from '../../plugin/manifest/manifest.js';
import { UsageError } from '../exit.js';
import { readArchive, type ArchivedFile } from './tar.js';

/** The limits of a plugin. */
export const INSTALL_LIMITS = {
  /** Of an archive as it is sent. */
  zipped: 32 * 1024 ** 2,
  /** Of all files. */
  bytes: 128 * 1024 ** 2,
  files: 10_000,
} as const;
const DOWNLOAD_MS = 120_000;

/** Directories of a plugin's sources that are not installed. */
const LEFT_OUT = [
  '.git',
  '.xsvc',
  'node_modules/.bin',
  'node_modules/.package-lock.json',
  'node_modules/xsvc',
];

/** A name in the registry of npm, with an optional version. It never begins with `-`, and is no path or URL. */
const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~<>=*-]+)?$/i;

interface SourceOptions {
  readonly cwd: string;
  /** For a URL. */
  readonly sha256: string | undefined;
}

/**
 * The files of a plugin from a directory, an archive, a URL, or a package of npm.
 * @throws UsageError, ServiceError `BadRequest`, `NotFound`, `ServiceUnavailable`
 */
export async function readSource(
  source: string,
  { cwd, sha256 }: SourceOptions,
): Promise<readonly ArchivedFile[]> {
  if (/^https?:/i.test(source)) return unpacked(await download(source, sha256));
  if (sha256 !== undefined) throw new UsageError('--sha256 is only for a URL');
  const place = path.resolve(cwd, source);
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() === true) return readDirectory(place);
  if (found?.isFile() === true) {
    checkZipped(found.size);
    return unpacked(await readFile(place));
  }
  if (/^[./\\]|\.t(?:ar\.)?gz$/i.test(source)) throw notFound(`there is no file or directory ${place}`);
  if (!PACKAGE.test(source))
    throw new UsageError(
      `"${formatExcerpt(source)}" is neither a file, a directory, an https URL nor a package of npm`,
    );
  return unpacked(await packWithNpm(source));
}

/** The files of an archive, without the directory that contains all of them, such as `package/` of npm. */
async function unpacked(zipped: Buffer): Promise<readonly ArchivedFile[]> {
  const files = await readArchive(zipped, INSTALL_LIMITS);
  const [top] = files[0]?.path.split('/') ?? [];
  const isWrapped = files.every((file) => file.path.startsWith(`${top ?? ''}/`));
  const hasManifest = files.some((file) => file.path === MANIFEST_FILE);
  if (!isWrapped || hasManifest || top === undefined) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) }));
}

async function readDirectory(root: string): Promise<readonly ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  let bytes = 0;
  const visit = async (below: string): Promise<void> => {
    for (const name of (await readdir(path.join(root, below))).sort()) {
      const file = below === '' ? name : `${below}/${name}`;
      if (LEFT_OUT.includes(file)) continue;
      const found = await lstat(path.join(root, file));
      if (found.isDirectory()) await visit(file);
      else if (!found.isFile())
        throw badRequest(
          `"${formatExcerpt(file)}" is a link or a device; only files and directories are allowed`,
        );
      else {
        bytes += found.size;
        if (bytes > INSTALL_LIMITS.bytes)
          throw badRequest(`the plugin has more than ${INSTALL_LIMITS.bytes} bytes`);
        if (files.length >= INSTALL_LIMITS.files)
          throw badRequest(`the plugin has more than ${INSTALL_LIMITS.files} files`);
        files.push({ path: file, bytes: await readFile(path.join(root, file)) });
      }
    }
  };
  await visit('');
  return files;
}

async function download(url: string, sha256: string | undefined): Promise<Buffer> {
  if (!/^https:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError('a plugin is only loaded over https');
  if (sha256 === undefined || !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError('a URL needs --sha256 with the 64 hexadecimal digits of its content');
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS), redirect: 'follow' });
    if (!response.ok || response.body === null) throw new Error(`the answer is ${response.status}`);
    // A redirect must not leave TLS.
    if (!response.url.startsWith('https:')) throw new Error('it redirects to an address without TLS');
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      bytes += part.byteLength;
      if (bytes > INSTALL_LIMITS.zipped) break;
      parts.push(part);
    }
  } catch (error) {
    throw unavailable(`cannot load ${formatExcerpt(url)}: ${getMessage(error)}`);
  }
  checkZipped(bytes);
  const content = Buffer.concat(parts);
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256.toLowerCase())
    throw badRequest(`the SHA-256 of ${formatExcerpt(url)} is ${found}, not the given one`);
  return content;
}

function checkZipped(bytes: number): void {
  if (bytes > INSTALL_LIMITS.zipped)
    throw badRequest(`the archive has more than ${INSTALL_LIMITS.zipped} bytes`);
}

/** The archive of a package, from the registry that npm is configured for. Scripts of the package do not run. */
async function packWithNpm(name: string): Promise<Buffer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'xsvc-npm-'));
  try {
    await runNpm(['pack', name, '--ignore-scripts', '--silent', '--pack-destination', directory], directory);
    const [file] = await readdir(directory);
    if (file === undefined) throw unavailable(`npm pack ${name} made no archive`);
    checkZipped((await stat(path.join(directory, file))).size);
    return await readFile(path.join(directory, file));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const ERRORS_MAX = 2_000;

function runNpm(args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (part: Buffer) => (errors = `${errors}${part.toString()}`.slice(-ERRORS_MAX)));
    child.on('error', (error) => reject(unavailable(`cannot run npm: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          unavailable(
            `npm ${args.slice(0, 2).join(' ')} failed: ${errors.trim() || `exit code ${code ?? '?'}`}`,
          ),
        );
    });
  });
}
