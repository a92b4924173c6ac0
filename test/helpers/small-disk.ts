import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A separate file system that has little room. */
export interface SmallDisk {
  readonly directory: string;
  /** Takes room away. */
  fill(bytes: number): void;
  /** Gives back what was taken. */
  empty(): void;
  resize(bytes: number): void;
}

const disks: string[] = [];

/** Takes the disks of a test file away when it ends, after what hooks that were set later do. */
export function useSmallDisks(): void {
  afterAll(() => {
    for (const directory of disks.splice(0)) {
      spawnSync('umount', [directory]);
      rmSync(path.dirname(directory), { recursive: true, force: true });
    }
  });
}

/**
 * Mounts one.
 * @param uid the user whose it is
 * @returns undefined when this user may not mount any
 */
export function mountSmallDisk(bytes: number, uid = process.getuid?.()): SmallDisk | undefined {
  const parent = mkdtempSync(path.join(tmpdir(), 'xsvc-disk-'));
  const directory = path.join(parent, 'disk');
  mkdirSync(directory);
  // Others get there too.
  chmodSync(parent, 0o711);
  const mount = (options: string): boolean =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0;
  if (process.getuid?.() !== 0 || !mount(`size=${bytes},uid=${uid},mode=700`)) return undefined;
  disks.push(directory);
  const ballast = path.join(directory, 'ballast');
  return {
    directory,
    fill: (taken) => writeFileSync(ballast, Buffer.alloc(taken)),
    empty: () => rmSync(ballast),
    resize(size) {
      mount(`remount,size=${size}`);
    },
  };
}
