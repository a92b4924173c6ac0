import type { ReactNode } from 'react';
import { Question } from '../../../parts/dialogs/confirm.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { Notice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import type { Done, Ended, Work } from './run.js';
import { formatSummary } from './summary.js';
import { useRun } from './use-run.js';

export interface Target {
  /** The number of selected objects. */
  readonly count: number;
  /** The first names. */
  readonly names: readonly string[];
  readonly parts: Work['names'];
}

interface BulkDialogProps {
  readonly target: Target;
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly hasFields?: boolean;
  /** The batch item for an object; undefined while the input is incomplete. */
  readonly itemOf: Work['getItem'] | undefined;
  readonly verb: (count: number) => string;
  /** The result of a trial; absent: none is offered. */
  readonly trialVerb?: (count: number) => string;
  readonly children: ReactNode;
  /** Called at the end with any result: the selected objects may not exist any more. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const NAMES_SHOWN = 8;

/** Asks before a change of many objects, displays its progress, and reports the result. */
export function BulkDialog(props: BulkDialogProps): ReactNode {
  const {
    target,
    title,
    action,
    isDangerous = false,
    hasFields = false,
    itemOf,
    verb,
    trialVerb,
    children,
    onDone,
    onClose,
  } = props;
  const { stage, start, stop } = useRun(verb, onDone);
  const closing = { asking: onClose, running: undefined, ended: onDone };
  return (
    <DialogFrame title={title} onClose={closing[stage.is]}>
      {stage.is === 'asking' && (
        <Question
          action={action}
          isDangerous={isDangerous}
          hasFields={hasFields}
          isDisabled={itemOf === undefined}
          error={stage.error}
          onConfirm={() => itemOf !== undefined && start({ names: target.parts, getItem: itemOf })}
          onCancel={onClose}
        >
          <Names target={target} />
          {children}
          {trialVerb !== undefined && (
            <button
              type="button"
              className="add"
              aria-disabled={itemOf === undefined}
              onClick={() =>
                itemOf !== undefined && start({ names: target.parts, getItem: itemOf, isTrial: true })
              }
            >
              {t`Try without saving`}
            </button>
          )}
          {trialVerb !== undefined && stage.trial !== undefined && (
            <Report ended={stage.trial} verb={trialVerb} />
          )}
        </Question>
      )}
      {stage.is === 'running' && (
        <>
          <Progress done={stage.done} of={target.count} />
          <div className="actions">
            <button type="button" autoFocus disabled={stage.isStopping} onClick={stop}>
              {stage.isStopping ? t`Stopping…` : t`Stop`}
            </button>
          </div>
        </>
      )}
      {stage.is === 'ended' && (
        <>
          <Report ended={stage.ended} verb={verb} />
          <div className="actions">
            <button type="button" autoFocus onClick={onDone}>
              {t`Close`}
            </button>
          </div>
        </>
      )}
    </DialogFrame>
  );
}

function Names({ target: { names, count } }: Pick<BulkDialogProps, 'target'>): ReactNode {
  const shown = names.slice(0, NAMES_SHOWN);
  const others = count - shown.length;
  return (
    <ul className="well tall mono" aria-label={t`Chosen objects`} tabIndex={0}>
      {shown.map((name) => (
        <li key={name}>{name}</li>
      ))}
      {others > 0 && <li>{t`and ${others} more`}</li>}
    </ul>
  );
}

export function Progress({ done, of }: { readonly done: Done; readonly of: number }): ReactNode {
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

export function Report({
  ended,
  verb,
}: {
  readonly ended: Ended;
  readonly verb: BulkDialogProps['verb'];
}): ReactNode {
  const { refused, refusals } = ended;
  const isWhole = refused === 0 && ended.cut === undefined;
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
