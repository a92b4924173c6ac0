import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

export interface KubectlResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface KubectlOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningKubectl {
  /** The text that it has printed until now. */
  readonly out: string;
  readonly ended: Promise<KubectlResult>;
  interrupt(): void;
}

export interface Kubectl {
  run(command: string, options?: KubectlOptions): Promise<KubectlResult>;
  /** Does not wait for its end. */
  start(command: string, options?: KubectlOptions): RunningKubectl;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first kubectl on the PATH; undefined when there is none. */
export function findKubectl(): string | undefined {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => path.join(directory, 'kubectl'))
    .find(isProgram);
}

/** Programs of one version each, `kubectl.1.<minor>`, that some installations have beside it. */
export function kubectlVersions(program: string | undefined): string[] {
  if (program === undefined) return [];
  const directory = path.dirname(realpathSync(program));
  return readdirSync(directory)
    .filter((name) => /^kubectl\.1\.\d+$/.test(name))
    .sort()
    .map((name) => path.join(directory, name));
}

const running = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export function killKubectls(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Runs kubectl against a service, with nothing of the user's own configuration.
 * @param home a directory that may be made and written to
 */
export function kubectlFor(program: string, server: string, home: string): Kubectl {
  mkdirSync(home, { recursive: true });
  const fixed = ['--server', server, '--cache-dir', path.join(home, 'cache')];
  const start = (command: string, { stdin = '', env = {} }: KubectlOptions = {}): RunningKubectl => {
    const child = spawn(program, [...wordsOf(command), ...fixed], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, KUBECONFIG: '/dev/null', ...env },
    });
    running.add(child);
    const text = { out: '', err: '' };
    child.stdout.on('data', (part) => (text.out += String(part)));
    child.stderr.on('data', (part) => (text.err += String(part)));
    // It may end before it has read anything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const ended = new Promise<KubectlResult>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        running.delete(child);
        resolve({ code, ...text });
      });
    });
    return {
      get out() {
        return text.out;
      },
      ended,
      interrupt: () => void child.kill('SIGINT'),
    };
  };
  return { start, run: (command, options) => start(command, options).ended };
}

/** Words as in a shell: separated by spaces, or in single quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}
