import type { ReactNode } from 'react';
import { Notes } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import { useProblemsOf } from '../builder-context.js';
import { traitsOf } from '../draft/field-types.js';
import type { FieldDraft } from '../draft/model-draft.js';
import { Tick } from '../parts.js';

interface FieldSwitchesProps {
  readonly field: FieldDraft;
  /** False in the items of a list, which have neither indexes nor columns. */
  readonly hasLists: boolean;
  readonly onChange: (field: FieldDraft) => void;
}

type Switch = 'isRequired' | 'isColumn' | 'isIndexed' | 'isUnique' | 'isSearched' | 'isTitle';

/** The uses of a field: sorting, searching, columns. */
export function FieldSwitches({ field, hasLists, onChange }: FieldSwitchesProps): ReactNode {
  const { id, type, isMany, isIndexed, isUnique } = field;
  const { index, column, isText = false } = traitsOf(type);
  const messages = [
    ...useProblemsOf(id, 'isIndexed'),
    ...useProblemsOf(id, 'isUnique'),
    ...useProblemsOf(id, 'isColumn'),
    ...useProblemsOf(id, ''),
  ];
  const isReference = type === 'reference';
  const [hasIndex, hasText] = [hasLists && index !== undefined, hasLists && isText];
  const tick = (label: string, part: Switch, isOn = field[part]): ReactNode => (
    <Tick
      label={label}
      isOn={isOn}
      isDisabled={part === 'isIndexed' && (isReference || isUnique)}
      note={part === 'isIndexed' && isReference ? t`References always have it.` : ''}
      onChange={(now) => onChange({ ...field, [part]: now })}
    />
  );
  return (
    <>
      <div className="row">
        {tick(t`Required`, 'isRequired')}
        {hasLists && column !== undefined && tick(t`Column in lists`, 'isColumn')}
        {hasIndex && tick(t`Sort and filter by it`, 'isIndexed', isIndexed || isUnique || isReference)}
        {hasIndex && !isMany && tick(t`Unique`, 'isUnique')}
        {hasText && tick(t`Search in it`, 'isSearched')}
        {hasText && tick(t`Title of the object`, 'isTitle')}
      </div>
      <Notes messages={messages} />
    </>
  );
}
