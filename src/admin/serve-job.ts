import { Worker } from 'node:worker_threads';
import { getMessage, ServiceError } from '../errors.js';
import { HEARTBEAT, type JobAnswer } from './job.js';

const ALIVE_MS = 1_000;

/** In a separate thread, so that it notices the parent's end while code of the job blocks the event loop. */
const WATCH_PARENT = `const { pid, ppid } = process;
setInterval(() => process.ppid === ppid || process.kill(pid, 'SIGKILL'), ${ALIVE_MS});`;

/** In a process that `runJob` started: runs the job that it receives, answers, and ends. */
export function serveJob<Job>(run: (job: Job) => Promise<object>): void {
  new Worker(WATCH_PARENT, { eval: true }).unref();
  // No process waits for the answer any more.
  process.on('disconnect', () => process.exit(1));
  process.once('message', (job: Job) => {
    setInterval(() => process.send?.(HEARTBEAT, () => undefined), ALIVE_MS);
    void getAnswer(() => run(job)).then((answer) => process.send?.(answer, () => process.exit(0)));
  });
}

async function getAnswer(run: () => Promise<object>): Promise<JobAnswer> {
  try {
    return { result: await run() };
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined;
    const isOfSystem = error instanceof Error && 'syscall' in error;
    return {
      error: {
        code: code ?? (isOfSystem ? 'ServiceUnavailable' : 'InternalError'),
        message: getMessage(error),
      },
    };
  }
}
