import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import { formatMoment, formatTime } from '../../../lib/format.js';
import { Badge, type Tone } from '../../../parts/badge.js';
import { Choice, TextField } from '../../../parts/field.js';
import { ErrorNotice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { useLog, type LogLine } from './use-log.js';

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
const TONES: Readonly<Record<string, Tone>> = { WARN: 'attention', ERROR: 'bad' };
/** Pixels from the end at which new lines are still followed. */
const NEAR = 40;

/** The log of a plugin while it is written. */
export default function LogTab({ name }: { readonly name: string }): ReactNode {
  const [isPaused, setIsPaused] = useState(false);
  const [level, setLevel] = useState<string>('DEBUG');
  const [typed, setTyped] = useState('');
  const { lines, error } = useLog(name, isPaused);
  const wanted = typed.toLowerCase();
  const least = LEVELS.findIndex((one) => one === level);
  const shown = lines.filter(
    (line) =>
      (line.level === '' || LEVELS.findIndex((one) => one === line.level) >= least) &&
      line.text.toLowerCase().includes(wanted),
  );
  return (
    <div className="stack tight">
      <div className="row log-tab-bar">
        <Choice
          label={t`Level`}
          value={level}
          choices={[
            ['DEBUG', t`All`],
            ['INFO', t`Info and above`],
            ['WARN', t`Warnings and errors`],
            ['ERROR', t`Errors`],
          ]}
          onChange={setLevel}
        />
        <TextField label={t`Contains`} value={typed} onChange={setTyped} />
        <button type="button" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? t`Continue` : t`Pause`}
        </button>
        <p className="faint" role="status">
          {t`${shown.length} of ${lines.length} [line|lines]`}
        </p>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <Lines shown={shown} isEmpty={lines.length === 0 && error === null} />
    </div>
  );
}

interface LinesProps {
  readonly shown: readonly LogLine[];
  readonly isEmpty: boolean;
}

/** Follows the end, until the user scrolls away from it. */
function Lines({ shown, isEmpty }: LinesProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = shown.at(-1)?.id;
  useEffect(() => {
    const { current } = box;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [last]);
  return (
    <div
      ref={box}
      className="card log-tab-lines"
      role="log"
      aria-live="off"
      aria-label={t`Log`}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {isEmpty && <p className="faint">{t`No lines yet. The service keeps the last ones in memory.`}</p>}
      {shown.map((line) => (
        <Line key={line.id} line={line} />
      ))}
    </div>
  );
}

const Line = memo(function Line({ line: { time, level, text } }: { readonly line: LogLine }): ReactNode {
  return (
    <div className="log-tab-line">
      {time === '' ? (
        <span />
      ) : (
        <time dateTime={time} title={formatMoment(time)}>
          {formatTime(Date.parse(time))}
        </time>
      )}
      {level === '' ? <span /> : <Badge word={level} tone={TONES[level]} />}
      <span dir="auto">{text}</span>
    </div>
  );
});
