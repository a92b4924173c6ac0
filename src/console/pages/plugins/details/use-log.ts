import { useEffect, useState } from 'react';
import { readLines } from '../../../../client/programs/lines.js';
import { send } from '../../../api/http.js';
import { objectPath } from '../../../api/models.js';
import { PLUGINS } from '../../../api/platform/plugins.js';
import { pause } from '../../../lib/coalesce.js';
import type { LogLine } from '../../../parts/log/log-line.js';
import { useVisible } from '../../../lib/use-event.js';

/** The limit of displayed lines. */
const LINES_MAX = 2_000;
/** The interval at which new lines appear, in milliseconds. */
const SHOW_MS = 150;
const AGAIN_MS = 2_000;

interface FollowedLog {
  readonly lines: readonly LogLine[];
  /** Null while lines arrive. */
  readonly error: unknown;
}

const LINE = /^(\S+Z) (DEBUG|INFO|WARN|ERROR) (.*)$/;
let lastId = 0;

function parseLine(line: string): LogLine {
  const [, time = '', level = '', rest = line] = LINE.exec(line) ?? [];
  // Line ends of a record, such as those of a stack.
  return { id: ++lastId, time, level, text: rest.replaceAll('\\n', '\n').replaceAll('\\t', '\t') };
}

/** The last lines of a plugin, and each new one. A hidden page, and a paused one, has no connection. */
export function useLog(name: string, isPaused: boolean): FollowedLog {
  const [log, setLog] = useState<FollowedLog>({ lines: [], error: null });
  const isOn = useVisible() && !isPaused;
  useEffect(() => {
    if (!isOn) return undefined;
    const stop = new AbortController();
    void keepReading(name, stop.signal, setLog);
    return () => stop.abort();
  }, [name, isOn]);
  return log;
}

type SetLog = (change: (before: FollowedLog) => FollowedLog) => void;

async function keepReading(name: string, signal: AbortSignal, set: SetLog): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      await readOnce(name, signal, set);
    } catch (error) {
      if (!isOver()) set(({ lines }) => ({ lines, error }));
    }
    await pause(AGAIN_MS, signal);
  }
}

async function readOnce(name: string, signal: AbortSignal, set: SetLog): Promise<void> {
  const url = `${objectPath(PLUGINS, name)}/log?tail=${LINES_MAX}&follow=true`;
  const { body } = await send(url, { signal, headers: { Accept: 'text/plain, application/json' } });
  set(() => ({ lines: [], error: null }));
  if (body === null) return;
  let waiting: LogLine[] = [];
  const show = (): void => {
    const arrived = waiting;
    waiting = [];
    if (arrived.length > 0 && !signal.aborted)
      set(({ lines }) => ({ lines: [...lines, ...arrived].slice(-LINES_MAX), error: null }));
  };
  const timer = setInterval(show, SHOW_MS);
  try {
    for await (const line of readLines(body)) {
      waiting.push(parseLine(line));
      // A plugin may write faster than the page displays.
      if (waiting.length > LINES_MAX) waiting = waiting.slice(-LINES_MAX);
    }
  } finally {
    clearInterval(timer);
    show();
  }
}
