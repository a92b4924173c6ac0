import type { ReactNode } from 'react';
import { storedModels, useModels } from '../../../api/models.js';
import { humanize } from '../../../lib/naming.js';
import { Choice } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import { useProblemsOf } from '../builder-context.js';
import { DELETE_POLICIES, type DeletePolicy, type FieldDraft } from '../draft/model-draft.js';
import { Tick } from '../parts.js';

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
  const { target, isMany } = field;
  const messages = useProblemsOf(field.id, 'target');
  const models = storedModels(useModels().data ?? []);
  const byKey = new Map(
    [
      ...(own.kind === '' || models.some((model) => keyOf(model) === keyOf(own)) ? [] : [own]),
      ...models,
      ...(target === undefined ? [] : [target]),
    ].map(({ group, kind }) => [keyOf({ group, kind }), { group, kind }] as const),
  );
  const all = [...byKey];
  const nameOf = (key: string, { group, kind }: typeof own): string => {
    const name = key === keyOf(own) ? t`${humanize(kind)} (this model)` : humanize(kind);
    return all.some(([other, one]) => other !== key && one.kind === kind) ? `${name} – ${group}` : name;
  };
  const onDelete = target?.onDelete ?? 'restrict';
  return (
    <>
      <Choice
        label={t`Refers to`}
        value={target === undefined ? '' : keyOf(target)}
        messages={messages}
        choices={[['', t`Choose a model`], ...all.map(([key, one]) => [key, nameOf(key, one)] as const)]}
        onChange={(key) => {
          const found = byKey.get(key);
          onChange({ ...field, target: found && { ...found, onDelete } });
        }}
      />
      <Choice
        label={t`When that object is deleted`}
        value={onDelete}
        isDisabled={target === undefined}
        choices={DELETE_POLICIES.map((policy) => [policy, POLICIES[policy]()])}
        onChange={(chosen) => {
          const policy = DELETE_POLICIES.find((one) => one === chosen) ?? 'restrict';
          if (target !== undefined) onChange({ ...field, target: { ...target, onDelete: policy } });
        }}
      />
      <Tick label={t`Several`} isOn={isMany} onChange={(isOn) => onChange({ ...field, isMany: isOn })} />
    </>
  );
}

function keyOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${kind}.${group}`;
}
