import type { ReactNode } from 'react';
import { t } from '../../../texts.js';
import { useProblemsOf } from '../builder-context.js';
import { traitsOf } from '../draft/field-types.js';
import type { FieldDraft } from '../draft/model-draft.js';
import { Notes, Tick } from '../parts.js';

interface FieldSwitchesProps {
  readonly field: FieldDraft;
  /** False in the items of a list, which have neither indexes nor columns. */
  readonly hasLists: boolean;
  readonly onChange: (field: FieldDraft) => void;
}

/** The uses of a field: sorting, searching, columns. */
export function FieldSwitches({ field, hasLists, onChange }: FieldSwitchesProps): ReactNode {
  const { id, type, isMany, isRequired, isIndexed, isUnique, isSearched, isColumn, isTitle } = field;
  const { index, column, isText } = traitsOf(type);
  const messages = [
    ...useProblemsOf(id, 'isIndexed'),
    ...useProblemsOf(id, 'isUnique'),
    ...useProblemsOf(id, 'isColumn'),
    ...useProblemsOf(id, ''),
  ];
  const isReference = type === 'reference';
  return (
    <>
      <div className="field-switches">
        <Tick
          label={t`Required`}
          isOn={isRequired}
          onChange={(isOn) => onChange({ ...field, isRequired: isOn })}
        />
        {hasLists && column !== undefined && (
          <Tick
            label={t`Column in lists`}
            isOn={isColumn}
            onChange={(isOn) => onChange({ ...field, isColumn: isOn })}
          />
        )}
        {hasLists && index !== undefined && (
          <Tick
            label={t`Sort and filter by it`}
            isOn={isIndexed || isUnique || isReference}
            isDisabled={isReference || isUnique}
            note={isReference ? t`References always have it.` : ''}
            onChange={(isOn) => onChange({ ...field, isIndexed: isOn })}
          />
        )}
        {hasLists && index !== undefined && !isMany && (
          <Tick
            label={t`Unique`}
            isOn={isUnique}
            onChange={(isOn) => onChange({ ...field, isUnique: isOn, isIndexed: isOn || isIndexed })}
          />
        )}
        {hasLists && isText === true && (
          <>
            <Tick
              label={t`Search in it`}
              isOn={isSearched}
              onChange={(isOn) => onChange({ ...field, isSearched: isOn })}
            />
            <Tick
              label={t`Title of the object`}
              isOn={isTitle}
              onChange={(isOn) => onChange({ ...field, isTitle: isOn })}
            />
          </>
        )}
      </div>
      <Notes messages={messages} />
    </>
  );
}
