import type { ReactNode } from 'react';
import { t } from '../../texts.js';
import { useForm, useStored, type FieldProps } from '../form-state.js';
import { getLabel } from '../shape/shape.js';
import { FieldFrame } from './field-frame.js';
import { Item } from './group-field.js';
import { converted, findBranch } from './shape-values.js';

/** A value of one of several shapes, which a select chooses. */
export function UnionField({ field, path }: FieldProps<'union'>): ReactNode {
  const { store, isReadOnly } = useForm();
  const { branches } = field.shape;
  const chosen = useStored(path, (value) => findBranch(branches, value));
  const branch = branches[chosen];
  const label = getLabel(field);
  const choose = (i: number): void => {
    const next = branches[i];
    store.set(path, next === undefined ? undefined : converted(store.get(path), next));
  };
  return (
    <FieldFrame field={field} path={path} className="stack tight form-group">
      <select
        aria-label={t`Kind of ${label}`}
        value={chosen}
        disabled={isReadOnly}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {!(field.isRequired && chosen >= 0) && <option value={-1}>{t`not set`}</option>}
        {branches.map(({ title }, i) => (
          <option key={i} value={i}>
            {title}
          </option>
        ))}
      </select>
      {branch !== undefined && <Item key={chosen} shape={branch.shape} name={label} path={path} />}
    </FieldFrame>
  );
}
