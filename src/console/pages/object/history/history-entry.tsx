import type { ReactNode } from 'react';
import { formatVerb } from '../../../api/story.js';
import { formatMoment, formatValue } from '../../../lib/format.js';
import { Age } from '../../../parts/age.js';
import { LongText } from '../../../parts/long-text.js';
import { Diff } from '../../../parts/diff.js';
import { t } from '../../../texts.js';
import type { FieldChange, HistoryItem } from './history.js';

interface HistoryEntryProps {
  readonly item: HistoryItem;
  readonly action: 'undo' | 'restore' | undefined;
  readonly onAct: () => void;
  /** True when the user of the change before made it in the same minute. */
  readonly isMore?: boolean;
  /** The name of a field for people. Default: its path. */
  readonly nameOf?: (path: string) => string;
  /** Chooses the state after the change for a comparison. */
  readonly choice?: ReactNode;
}

/** A change: its time, its user, and the change of each field. */
export function HistoryEntry(props: HistoryEntryProps): ReactNode {
  const { item, action, onAct, isMore = false, nameOf = (path: string): string => path, choice } = props;
  const { time, user, via, verb, resourceVersion, changes } = item;
  return (
    <li className={isMore ? 'record-history-more' : undefined}>
      <div className="row tight">
        {choice}
        <strong>{formatVerb(verb)}</strong>{' '}
        {!isMore && (
          <>
            {user !== undefined && <span>{t`by ${user}`}</span>}
            {via !== undefined && <span className="faint">{t`via ${via}`}</span>} <Age time={time} />{' '}
          </>
        )}
        <span className="faint">
          {!isMore && `${formatMoment(time)} · `}
          {t`revision ${resourceVersion}`}
        </span>
        {action !== undefined && (
          <button type="button" className="quiet end" onClick={onAct}>
            {action === 'undo' ? t`Undo` : t`Restore this state`}
          </button>
        )}
      </div>
      {changes.length > 0 && (
        <ul className="record-history-changes">
          {changes.map((change) => (
            <li key={change.path}>
              <span className="faint" title={change.path}>
                {nameOf(change.path)}
              </span>{' '}
              <Change change={change} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Change({ change }: { readonly change: FieldChange }): ReactNode {
  const { from, to } = change;
  if (typeof from === 'string' && typeof to === 'string' && `${from}${to}`.includes('\n'))
    return <Diff from={from} to={to} />;
  return (
    <span className="change">
      {'from' in change && (
        <del>
          <LongText value={formatValue(from)} />
        </del>
      )}{' '}
      {'to' in change && (
        <ins>
          <LongText value={formatValue(to)} />
        </ins>
      )}
    </span>
  );
}
