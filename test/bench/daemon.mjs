import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
/** The models of the example plugins, without their controllers: those would work through a store that was just filled. */
export const PLUGINS = modelsOnly();

/**
 * Starts a server process and waits until it shows its address. `core` is the only one it may use; undefined for all.
 * @returns {Promise<{ url: string, pid: number, readyMs: number, rssBytes: () => number, stop: () => Promise<void> }>}
 */
export async function startProcess(args, { core } = { core: 0 }) {
  const command = [process.execPath, ...args];
  const [program, ...rest] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const began = performance.now();
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += String(data);
      if (/http:\/\/\S+/.test(text)) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
  });
  const readyMs = performance.now() - began;
  const url = /http:\/\/\S+/.exec(line)[0];
  const statusOf = (field) => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)[1]) * 1024;
  };
  return {
    url,
    readyMs,
    pid: child.pid,
    rssBytes: () => statusOf('VmRSS'),
    /** Without the pages of the store's file, which the kernel lends. */
    ownBytes: () => statusOf('RssAnon'),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** The daemon on a data directory, by default with the example plugins. */
export function startDaemon(dataDir, { plugins = PLUGINS, ...options } = { core: 0 }) {
  const flags = ['--port', '0', '--data-dir', dataDir, '--plugins', plugins, '--log-level', 'warn'];
  return startProcess([BIN, 'serve', ...flags], options);
}

function modelsOnly() {
  const target = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  process.on('exit', () => rmSync(target, { recursive: true, force: true }));
  for (const [name, main] of Object.entries({
    person: 'index.ts',
    catalogue: 'index.ts',
    bookmark: 'index.js',
  })) {
    const source = new URL(`../../plugins/${name}`, import.meta.url).pathname;
    mkdirSync(path.join(target, name));
    copyFileSync(path.join(source, 'plugin.yaml'), path.join(target, name, 'plugin.yaml'));
    // A manifest may name pages of this folder.
    const pages = path.join(source, 'public');
    if (existsSync(pages)) cpSync(pages, path.join(target, name, 'public'), { recursive: true });
    const text = `export { default } from ${JSON.stringify(path.join(source, main))};\n`;
    writeFileSync(path.join(target, name, main), text);
  }
  return target;
}
