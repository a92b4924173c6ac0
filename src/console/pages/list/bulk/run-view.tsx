import type { ReactNode } from 'react';
import { CloseButton } from '../../../parts/dialogs/dialog-frame.js';
import { Notice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { formatSummary, type Done, type Ended } from './run.js';
import type { UsedRun } from './use-run.js';

interface RunViewProps {
  readonly run: UsedRun;
  /** The number of objects. */
  readonly of: number;
  readonly verb: (count: number) => string;
  readonly onClose: () => void;
}

/** The progress of work on many objects, and its result; nothing before it has begun. */
export function RunView({ run: { stage, stop }, of, verb, onClose }: RunViewProps): ReactNode {
  if (stage.is === 'asking') return null;
  if (stage.is === 'ended')
    return (
      <>
        <Report ended={stage.ended} verb={verb} />
        <CloseButton hasFocus onClose={onClose} />
      </>
    );
  return (
    <>
      <Progress done={stage.done} of={of} />
      <div className="actions">
        <button type="button" autoFocus disabled={stage.isStopping} onClick={stop}>
          {stage.isStopping ? t`Stopping…` : t`Stop`}
        </button>
      </div>
    </>
  );
}

function Progress({ done, of }: { readonly done: Done; readonly of: number }): ReactNode {
  const now = done.done + done.refused;
  const said = t`${now} of ${of} done`;
  return (
    <>
      <progress aria-label={said} max={Math.max(of, now, 1)} value={now} />
      <p role="status">
        {said}
        {done.refused > 0 && ` · ${t`${done.refused} refused`}`}
      </p>
    </>
  );
}

interface ReportProps extends Pick<RunViewProps, 'verb'> {
  readonly ended: Ended;
}

export function Report({ ended, verb }: ReportProps): ReactNode {
  const { refused, refusals, cut } = ended;
  const isWhole = refused === 0 && cut === undefined;
  return (
    <Notice tone={isWhole ? 'good' : 'attention'} title={formatSummary(ended, verb)}>
      {refusals.length > 0 && (
        <ul className="tall" aria-label={t`Refused`} tabIndex={0}>
          {refusals.map(({ name, message }) => (
            <li key={name}>
              <strong>{name}</strong>: {message}
            </li>
          ))}
          {refused > refusals.length && <li>{t`and ${refused - refusals.length} more`}</li>}
        </ul>
      )}
    </Notice>
  );
}
