import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { ApiError } from '../../api/errors.js';
import type { ModelRef } from '../../api/models.js';
import { MODEL_PLANS, planDefinition, type PlannedModel } from '../../api/platform/model-plans.js';
import { useMay } from '../../api/platform/rights.js';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { Question } from '../../parts/dialogs/confirm.js';
import { t } from '../../texts.js';
import { PlannedProblems } from '../models/plan-view.js';
import type { ModelDraft, ModelNames } from './draft/model-draft.js';
import { removedFields } from './draft/placed-fields.js';
import { writeDefinition } from './draft/write-definition.js';

interface ChangeDialogProps {
  readonly draft: ModelDraft;
  readonly names: ModelNames;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Checks a change of a model with its objects. It asks only when something would be lost or invalid. */
export function ChangeDialog({ draft, names, onConfirm, onClose }: ChangeDialogProps): ReactNode {
  const mayPlan = useMay('create', MODEL_PLANS);
  const [start] = useState(() => Date.now());
  const definition = useMemo(() => writeDefinition(draft, names), [draft, names]);
  const { data, error, isPending } = useQuery({
    queryKey: ['definition-plan', start],
    queryFn: async ({ signal }) => (await planDefinition(definition, signal)) ?? null,
    enabled: mayPlan,
    retry: false,
  });
  const isChecking = mayPlan && isPending;
  const removed = removedFields(draft);
  const problems = data?.problems ?? [];
  // Refusals are shown at their fields by the save.
  const isChecked = mayPlan && (error === null || (error instanceof ApiError && error.causes.length > 0));
  const isHarmless = !isChecking && isChecked && removed.length === 0 && problems.length === 0;
  useEffect(() => {
    if (isHarmless) onConfirm();
  }, [isHarmless]);
  return (
    <DialogFrame title={t`Change ${draft.title}?`} onClose={onClose}>
      <Question
        action={t`Save anyway`}
        isDangerous={problems.length > 0}
        isDisabled={isChecking}
        error={null}
        onConfirm={onConfirm}
        onCancel={onClose}
      >
        {isChecking && <p role="status">{t`Checking the objects…`}</p>}
        {!mayPlan && (
          <p className="attention">{t`You may not check the objects, so their number is unknown.`}</p>
        )}
        {mayPlan && !isChecked && <p className="attention">{t`The objects could not be checked.`}</p>}
        {removed.map(({ name, label, renamedTo }) => (
          <p key={name}>
            {renamedTo === undefined
              ? t`${label} (${name}) is removed. Objects lose its value when they are next saved.`
              : t`${label} gets the name ${renamedTo}. For objects this is a new, empty field; values of ${name} are lost when they are next saved.`}
          </p>
        ))}
        {data !== undefined && data !== null && <Consequences plan={data} model={names} />}
      </Question>
    </DialogFrame>
  );
}

interface ConsequencesProps {
  readonly plan: PlannedModel;
  readonly model: ModelRef;
}

function Consequences({ plan: { problems, objects }, model }: ConsequencesProps): ReactNode {
  if (problems.length === 0) return <p>{t`All ${objects} [object fits|objects fit].`}</p>;
  return (
    <>
      <p>{t`Invalid objects stay as they are, and can be read. A save must correct their invalid fields only when it changes them.`}</p>
      <PlannedProblems problems={problems} model={model} />
    </>
  );
}
