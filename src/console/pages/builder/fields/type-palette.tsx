import type { ReactNode, Ref } from 'react';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { isGroup, traitsOf } from '../draft/field-types.js';
import { FIELD_TYPES, type FieldType } from '../draft/model-draft.js';
import { typeName } from './field-texts.js';

interface TypePaletteProps {
  /** False below groups in groups. */
  readonly hasGroups: boolean;
  /** The name of the group that gets the field; undefined for the model. */
  readonly into?: string;
  readonly onAdd: (type: FieldType) => void;
  readonly ref?: Ref<HTMLDivElement>;
}

/** The types of fields: a click adds one. */
export function TypePalette({ hasGroups, into, onAdd, ref }: TypePaletteProps): ReactNode {
  const label = into === undefined ? t`Add a field` : t`Add a field to ${into}`;
  return (
    <div ref={ref} className="type-palette" role="group" aria-label={label}>
      <p className="type-palette-label" aria-hidden="true">
        {label}
      </p>
      {FIELD_TYPES.filter((type) => hasGroups || !isGroup(type)).map((type) => (
        <button key={type} type="button" onClick={() => onAdd(type)}>
          <Icon name={traitsOf(type).icon} />
          {typeName(type)}
        </button>
      ))}
    </div>
  );
}
