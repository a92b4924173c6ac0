import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import { formatMoment, formatTime } from '../../lib/format.js';
import { formatRoute } from '../../routes/route.js';
import { useRoute } from '../../routes/use-route.js';
import type { Period } from '../../routes/period.js';
import { t } from '../../texts.js';
import { Badge, type Tone } from '../badge.js';
import { Choice, TextField } from '../field.js';
import { ErrorNotice, Notice } from '../notice.js';
import { linesOf, type LogLine } from './log-line.js';

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
const TONES: Readonly<Record<string, Tone>> = { WARN: 'attention', ERROR: 'bad' };
/** Pixels from the end at which new lines are still followed. */
const NEAR = 40;

interface LogViewProps {
  readonly lines: readonly LogLine[];
  /** Null while lines arrive. */
  readonly error: unknown;
  /** Only the lines of this time are displayed; undefined: all. */
  readonly period: Period | undefined;
  /** The time since which all lines are kept, RFC 3339; undefined when it is not known. */
  readonly keptSince?: string | undefined;
  /** The actions of the log. */
  readonly children?: ReactNode;
}

/** Lines of a log, and which of them are displayed. */
export function LogView({ lines, error, period, keptSince, children }: LogViewProps): ReactNode {
  const [level, setLevel] = useState<string>('DEBUG');
  const [typed, setTyped] = useState('');
  const wanted = typed.toLowerCase();
  const least = LEVELS.findIndex((one) => one === level);
  const ofPeriod = linesOf(lines, period);
  const shown = ofPeriod.filter(
    (line) =>
      (line.level === '' || LEVELS.findIndex((one) => one === line.level) >= least) &&
      line.text.toLowerCase().includes(wanted),
  );
  return (
    <div className="stack tight">
      {period !== undefined && <PeriodNotice period={period} keptSince={keptSince} />}
      <div className="row log-view-bar">
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
        {children}
        <p className="faint" role="status">
          {t`${shown.length} of ${lines.length} [line|lines]`}
        </p>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <Lines
        shown={shown}
        emptyText={
          period === undefined
            ? t`No lines yet. The service keeps the last ones in memory.`
            : t`No lines from this time.`
        }
        isEmpty={ofPeriod.length === 0 && error === null}
      />
    </div>
  );
}

interface PeriodNoticeProps {
  readonly period: Period;
  readonly keptSince: string | undefined;
}

/** Says that only lines of a period are displayed, and whether some of them are no longer kept. */
function PeriodNotice({ period: { fromMs, toMs }, keptSince }: PeriodNoticeProps): ReactNode {
  const route = useRoute();
  const isIncomplete = keptSince !== undefined && Date.parse(keptSince) > fromMs;
  const [from, to] = [formatMoment(new Date(fromMs).toISOString()), formatTime(toMs)];
  return (
    <Notice tone={isIncomplete ? 'attention' : 'plain'}>
      {t`From ${from} to ${to}.`} {isIncomplete && t`Lines before ${formatMoment(keptSince)} are not kept.`}{' '}
      <a href={formatRoute(route)}>{t`All lines`}</a>
    </Notice>
  );
}

interface LinesProps {
  readonly shown: readonly LogLine[];
  readonly isEmpty: boolean;
  readonly emptyText: string;
}

/** Follows the end, until the user scrolls away from it. */
function Lines({ shown, isEmpty, emptyText }: LinesProps): ReactNode {
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
      className="card log-view-lines"
      role="log"
      aria-live="off"
      aria-label={t`Log`}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {isEmpty && <p className="faint">{emptyText}</p>}
      {shown.map((line) => (
        <Line key={line.id} line={line} />
      ))}
    </div>
  );
}

const Line = memo(function Line({ line: { time, level, text } }: { readonly line: LogLine }): ReactNode {
  return (
    <div className="log-view-line">
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
