import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { runCli } from '../../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;
const SCRIPT = new URL('../../e2e/ci-script.sh', import.meta.url).pathname;
const PERSON = path.join(EXAMPLE_PLUGINS, 'person');

let daemon: DaemonProcess;

beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [PERSON] });
});

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

/** Runs the script with nothing but a path and what says where to work. */
function runScript(env: Readonly<Record<string, string>>): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', [SCRIPT, temporaryDirectory()], {
      env: { PATH: process.env.PATH, XSVC: `${process.execPath} ${PROGRAM}`, ...env },
    });
    let text = '';
    child.stdout.on('data', (part) => (text += String(part)));
    child.stderr.on('data', (part) => (text += String(part)));
    child.on('close', (code) => resolve({ code, text }));
  });
}

const SAID = `== apply
persons/ann created
persons/bob created
persons/ann unchanged
persons/bob unchanged
== create
== label
persons/ann labeled
persons/ann annotated
persons/bob annotated
persons/JOB annotated
== wait
persons/ann patched
persons/ann condition met
== failures
== prune
persons/ann unchanged
persons/bob pruned
== delete
persons/JOB deleted
persons/ann deleted
persons/ann condition met
no persons found
== done
`;

/** Without the name that was made up, and in one order of what two processes print at once. */
function comparable(text: string): string {
  return text
    .replace(/job-[a-z0-9]+/g, 'JOB')
    .replace(
      'persons/ann condition met\npersons/ann patched\n',
      'persons/ann patched\npersons/ann condition met\n',
    );
}

describe('a script of a build server', () => {
  it('works on a store', async () => {
    const dataDir = path.join(temporaryDirectory(), 'store');
    const { code, text } = await runScript({ XSVC_DATA_DIR: dataDir, XSVC_PLUGINS: PERSON });
    expect(comparable(text)).toBe(SAID);
    expect(code).toBe(0);
    expect(await runCli(['check', '--data-dir', dataDir, '--plugins', PERSON], { cwd: '/' })).toMatchObject({
      code: 0,
    });
  });

  it('works on a server', async () => {
    const { code, text } = await runScript({ XSVC_SERVER: daemon.url });
    expect(comparable(text)).toBe(SAID);
    expect(code).toBe(0);
  });
});
