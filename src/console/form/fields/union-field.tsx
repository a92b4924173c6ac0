import { useId, type ReactNode } from 'react';
import { isObject } from '../../lib/json.js';
import { t } from '../../texts.js';
import { useForm, useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes, getLabel } from '../parts.js';
import { formatPath } from '../path.js';
import type { Branch, UnionShape } from '../shape/shape.js';
import { findBranch } from './find-branch.js';
import { Item } from './item.js';
import { makeEmpty, withFixed } from './make-empty.js';

/** A value of one of several shapes, which a select chooses. */
export function UnionField({ field, path }: FieldProps<UnionShape>): ReactNode {
  const id = useId();
  const { store, isReadOnly } = useForm();
  const messages = useMessages(path);
  const { branches } = field.shape;
  const chosen = useStored(path, (value) => findBranch(branches, value));
  const branch = branches[chosen];
  const label = getLabel(field);
  const choose = (i: number): void => {
    const next = branches[i];
    store.set(path, next === undefined ? undefined : converted(store.get(path), next));
  };
  return (
    <fieldset className="form-group" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} path={path} />
      </legend>
      <FieldNotes id={id} description={field.description} messages={messages} />
      <select
        className="form-branch"
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
    </fieldset>
  );
}

/** A value for another branch: members that it has too are kept. */
function converted(value: unknown, { shape, required }: Branch): unknown {
  if (shape.shape !== 'group' || !isObject(value)) return withFixed(makeEmpty(shape), required);
  const kept = Object.entries(value).filter(([name]) => shape.fields.some((field) => field.name === name));
  return withFixed(Object.fromEntries(kept), required);
}
