import { diffLines } from 'diff';
import { useMemo, type ReactNode } from 'react';
import { language } from '../language.js';
import { useStore } from '../lib/store.js';
import { t } from '../texts.js';

/** The number of unchanged lines around a change. */
const CONTEXT = 3;
/** The time limit of a comparison, which is slow when nearly all lines differ. */
const TIME_MS = 2_000;

interface Line {
  readonly kind: 'added' | 'removed' | 'same' | 'skipped';
  readonly text: string;
}

const SIGNS = { added: '+', removed: '-', same: ' ', skipped: '⋯' } as const;

/** The difference of two texts, line by line. */
export function Diff({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  const spoken = useStore(language);
  const lines = useMemo(() => getLines(from, to), [from, to, spoken]);
  if (lines.every(({ kind }) => kind === 'same' || kind === 'skipped'))
    return <p className="faint">{t`No differences.`}</p>;
  return (
    <pre className="diff" role="group" aria-label={t`Differences`} tabIndex={0}>
      {lines.map((line, i) => (
        <DiffLine key={i} line={line} />
      ))}
    </pre>
  );
}

function DiffLine({ line: { kind, text } }: { readonly line: Line }): ReactNode {
  const Tag = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
  return (
    <Tag className={kind}>
      <span>{SIGNS[kind]} </span>
      {`${text}\n`}
    </Tag>
  );
}

function getLines(from: string, to: string): readonly Line[] {
  const parts = diffLines(from, to, { timeout: TIME_MS }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  return parts.flatMap(({ value, added, removed }, i): readonly Line[] => {
    const lines = value.replace(/\n$/, '').split('\n');
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    const marked = lines.map((line) => ({ kind, text: line }) as const);
    return kind === 'same' ? shortened(marked, i === 0, i === parts.length - 1) : marked;
  });
}

/** Removes lines that are far from a change. */
function shortened(lines: readonly Line[], isFirst: boolean, isLast: boolean): readonly Line[] {
  const head = isFirst ? [] : lines.slice(0, CONTEXT);
  const tail = isLast ? [] : lines.slice(Math.max(head.length, lines.length - CONTEXT));
  const left = lines.length - head.length - tail.length;
  if (left <= 1) return lines;
  return [...head, { kind: 'skipped', text: t`${left} [unchanged line|unchanged lines]` }, ...tail];
}
