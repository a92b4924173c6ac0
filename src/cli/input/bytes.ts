import { closeSync, constants, createReadStream, openSync, readSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { getMessage } from '../../errors.js';
import { SYSTEM_CLOCK, type Clock } from '../../lib/time/clock.js';
import { UsageError } from '../exit.js';

/** The time limit for a writer of a pipe. */
const WRITER_MS = 1_000;
const LOOK_MS = 50;

/**
 * The bytes of a file or a named pipe, part by part.
 * @param shown its name in messages
 * @throws UsageError when it cannot be read, is a device, or is a pipe without a writer
 */
export async function* readBytes(
  file: string,
  shown: string,
  clock: Clock = SYSTEM_CLOCK,
): AsyncGenerator<Uint8Array> {
  try {
    const found = await stat(file);
    for await (const part of found.isFIFO() ? await openPipe(file, clock) : openFile(file, found))
      yield part as Buffer;
  } catch (error) {
    throw new UsageError(`cannot read ${shown}: ${getMessage(error)}`);
  }
}

function openFile(file: string, found: Stats): AsyncIterable<unknown> {
  if (found.isCharacterDevice() || found.isBlockDevice())
    throw new Error('it is a device; give a file, or - for standard input');
  return createReadStream(file);
}

/** Waiting for a writer inside `open` would block one of the few threads for files permanently. */
async function openPipe(file: string, clock: Clock): Promise<AsyncIterable<unknown>> {
  const until = clock.now() + WRITER_MS;
  const pipe = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  let first = readNow(pipe);
  while (first?.length === 0 && clock.now() < until) {
    await new Promise<void>((resolve) => void clock.setTimer(LOOK_MS, resolve));
    first = readNow(pipe);
  }
  if (first?.length !== 0) return pipeParts(pipe, first);
  closeSync(pipe);
  throw new Error('it is a pipe without a writer');
}

async function* pipeParts(pipe: number, first: Buffer | undefined): AsyncGenerator {
  if (first !== undefined) yield first;
  for await (const part of new Socket({ fd: pipe, readable: true, writable: false })) yield part;
}

const FIRST_BYTES = 64 * 1024;

/** Empty without a writer; undefined when a writer exists but has written nothing yet. */
function readNow(pipe: number): Buffer | undefined {
  const bytes = Buffer.alloc(FIRST_BYTES);
  try {
    return bytes.subarray(0, readSync(pipe, bytes));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
