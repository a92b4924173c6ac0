import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { endOwner, isOwnerAlive, ownerName, processState } from '../../src/lib/process/process-identity.js';

it('knows if the process of a name still runs', async () => {
  const name = ownerName();
  expect(processState(name)).toBe('alive');
  endOwner(name);
  expect(processState(name)).toBe('dead');

  const module = new URL('../../dist/lib/process/process-identity.js', import.meta.url).href;
  const script = `import { ownerName } from '${module}'; console.log(ownerName()); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const other = line.toString().trim();
  expect(processState(other)).toBe('alive');
  child.kill('SIGSTOP');
  expect(processState(other)).toBe('alive');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(processState(other)).toBe('dead');
});

it('tells a process from a later one with the same id, and from those of another system or container', () => {
  const [host = '', pid = '', stamp = '', part = ''] = ownerName().split('/');
  const [boot = '', namespace = '', start = ''] = stamp.split('.');
  const named = (...changed: readonly string[]): string => [host, pid, changed.join('.'), part].join('/');
  expect(processState(named(boot, namespace, start))).toBe('alive');
  // A process with that id runs, but not since then.
  expect(processState([host, process.ppid, stamp, part].join('/'))).toBe('dead');
  expect(processState(named('00000000', namespace, start))).toBe('dead');
  expect(processState(['elsewhere', pid, `00000000.${namespace}.${start}`, part].join('/'))).toBe('unknown');
  expect(processState(named(boot, '1', start))).toBe('unknown');
  expect(isOwnerAlive(named(boot, '1', start))).toBe(true);
  // Without more to go by, and from before names had it.
  expect(processState(`${hostname()}/${process.ppid}/x`)).toBe('alive');
  expect(processState(`elsewhere/1/x`)).toBe('unknown');
});
