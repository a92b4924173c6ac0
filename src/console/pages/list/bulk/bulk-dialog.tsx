import type { ReactNode } from 'react';
import type { Model } from '../../../api/models.js';
import { Question } from '../../../parts/dialogs/confirm.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { t } from '../../../texts.js';
import type { Work } from './run.js';
import { Report, RunView } from './run-view.js';
import { useRun } from './use-run.js';

export interface Target {
  /** The number of selected objects. */
  readonly count: number;
  /** The first names. */
  readonly names: readonly string[];
  readonly parts: Work['names'];
}

/** A dialog for a change of the selected objects. */
export interface ManyProps {
  readonly model: Model;
  readonly target: Target;
  /** Called at the end with any result: the selected objects may not exist any more. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

interface BulkDialogProps extends Omit<ManyProps, 'model'> {
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
}

/** Asks before a change of many objects, displays its progress, and reports the result. */
export function BulkDialog(props: BulkDialogProps): ReactNode {
  const { target, title, action, itemOf, verb, trialVerb, children, onDone, onClose } = props;
  const { isDangerous = false, hasFields = false } = props;
  const run = useRun(verb, onDone);
  const { stage } = run;
  const closing = { asking: onClose, running: undefined, ended: onDone };
  const start = (isTrial: boolean): void => {
    if (itemOf !== undefined) run.start(() => ({ names: target.parts, getItem: itemOf, isTrial }));
  };
  return (
    <DialogFrame title={title} onClose={closing[stage.is]}>
      <RunView run={run} of={target.count} verb={verb} onClose={onDone} />
      {stage.is === 'asking' && (
        <Question
          action={action}
          isDangerous={isDangerous}
          hasFields={hasFields}
          isDisabled={itemOf === undefined}
          error={stage.error}
          onConfirm={() => start(false)}
          onCancel={onClose}
        >
          <Names target={target} />
          {children}
          {trialVerb !== undefined && (
            <button
              type="button"
              className="add"
              aria-disabled={itemOf === undefined}
              onClick={() => start(true)}
            >
              {t`Try without saving`}
            </button>
          )}
          {trialVerb !== undefined && stage.trial !== undefined && (
            <Report ended={stage.trial} verb={trialVerb} />
          )}
        </Question>
      )}
    </DialogFrame>
  );
}

const NAMES_SHOWN = 8;

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
