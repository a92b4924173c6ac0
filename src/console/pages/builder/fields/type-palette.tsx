import type { ReactNode, Ref } from 'react';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { isGroup, traitsOf } from '../draft/field-types.js';
import { FIELD_TYPES, type FieldType } from '../draft/model-draft.js';

const NAMES: Readonly<Record<FieldType, () => string>> = {
  text: () => t`Text`,
  longText: () => t`Long text`,
  markdown: () => t`Formatted text`,
  number: () => t`Number`,
  integer: () => t`Integer`,
  boolean: () => t`Yes or no`,
  date: () => t`Date`,
  dateTime: () => t`Date and time`,
  choice: () => t`Choice`,
  reference: () => t`Reference`,
  texts: () => t`List of texts`,
  group: () => t`Group of fields`,
  groups: () => t`List of groups`,
  email: () => t`E-mail`,
  url: () => t`Web address`,
  image: () => t`Image`,
  color: () => t`Colour`,
  json: () => t`JSON`,
  other: () => t`Kept as YAML`,
};

export function typeName(type: FieldType): string {
  return NAMES[type]();
}

/** @param hasGroups false below groups in groups */
export function typesIn(hasGroups: boolean): readonly FieldType[] {
  return FIELD_TYPES.filter((type) => hasGroups || !isGroup(type));
}

interface TypePaletteProps {
  readonly hasGroups: boolean;
  /** The name of the group that gets the field; undefined for the model. */
  readonly into: string | undefined;
  readonly onAdd: (type: FieldType) => void;
  readonly ref: Ref<HTMLDivElement>;
}

/** The types of fields: a click adds one. */
export function TypePalette({ hasGroups, into, onAdd, ref }: TypePaletteProps): ReactNode {
  const label = into === undefined ? t`Add a field` : t`Add a field to ${into}`;
  return (
    <div ref={ref} className="type-palette" role="group" aria-label={label}>
      <p className="type-palette-label label" aria-hidden="true">
        {label}
      </p>
      {typesIn(hasGroups).map((type) => (
        <button key={type} type="button" onClick={() => onAdd(type)}>
          <Icon name={traitsOf(type).icon} />
          {typeName(type)}
        </button>
      ))}
    </div>
  );
}
