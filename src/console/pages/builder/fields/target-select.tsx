import { useId, type ReactNode } from 'react';
import { storedModels, useModels } from '../../../api/models.js';
import { humanize } from '../../../lib/naming.js';
import { t } from '../../../texts.js';
import { useProblemsOf } from '../builder-context.js';
import { DELETE_POLICIES, type DeletePolicy, type FieldDraft } from '../draft/model-draft.js';
import { Notes, Tick } from '../parts.js';

const POLICIES: Readonly<Record<DeletePolicy, () => string>> = {
  restrict: () => t`Refuse to delete it`,
  cascade: () => t`Delete this object too`,
  clear: () => t`Empty this field`,
};

interface TargetSelectProps {
  readonly field: FieldDraft;
  /** The model itself, which may not be stored yet. */
  readonly own: { readonly group: string; readonly kind: string };
  readonly onChange: (field: FieldDraft) => void;
}

/** The model that a reference leads to. */
export function TargetSelect({ field, own, onChange }: TargetSelectProps): ReactNode {
  const id = useId();
  const { target, isMany } = field;
  const messages = useProblemsOf(field.id, 'target');
  const models = storedModels(useModels().data ?? []);
  const isOwn = ({ group, kind }: typeof own): boolean => group === own.group && kind === own.kind;
  const known = [
    ...(own.kind === '' || models.some(isOwn) ? [] : [own]),
    ...models.map(({ group, kind }) => ({ group, kind })),
    ...(target === undefined ? [] : [target]),
  ].filter((one, i, all) => all.findIndex((other) => keyOf(other) === keyOf(one)) === i);
  const onDelete = target?.onDelete ?? 'restrict';
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{t`Refers to`}</label>
        <select
          id={id}
          value={target === undefined ? '' : keyOf(target)}
          aria-invalid={messages.length > 0}
          aria-describedby={`${id}-notes`}
          onChange={({ target: { value } }) => {
            const found = known.find((one) => keyOf(one) === value);
            const { group, kind } = found ?? own;
            onChange({ ...field, target: found === undefined ? undefined : { group, kind, onDelete } });
          }}
        >
          <option value="">{t`Choose a model`}</option>
          {known.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {isOwn(one) ? t`${humanize(one.kind)} (this model)` : humanize(one.kind)}
              {known.some((other) => other !== one && other.kind === one.kind) ? ` – ${one.group}` : ''}
            </option>
          ))}
        </select>
        <Notes id={`${id}-notes`} messages={messages} />
      </div>
      <div className="field">
        <label htmlFor={`${id}-delete`}>{t`When that object is deleted`}</label>
        <select
          id={`${id}-delete`}
          value={onDelete}
          disabled={target === undefined}
          onChange={({ target: { value } }) => {
            const policy = DELETE_POLICIES.find((one) => one === value) ?? 'restrict';
            if (target !== undefined) onChange({ ...field, target: { ...target, onDelete: policy } });
          }}
        >
          {DELETE_POLICIES.map((policy) => (
            <option key={policy} value={policy}>
              {POLICIES[policy]()}
            </option>
          ))}
        </select>
      </div>
      <Tick label={t`Several`} isOn={isMany} onChange={(isOn) => onChange({ ...field, isMany: isOn })} />
    </>
  );
}

function keyOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${kind}.${group}`;
}
