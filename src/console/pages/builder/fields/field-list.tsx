import { useRef, type ReactNode } from 'react';
import { say } from '../../../parts/dialogs/toasts.js';
import { t } from '../../../texts.js';
import { useBuilder } from '../builder-context.js';
import { addField, setField } from '../draft/change-fields.js';
import type { FieldDraft } from '../draft/model-draft.js';
import type { FieldListProps } from './field-props.js';
import { FieldRow } from './field-row.js';
import { TypePalette } from './type-palette.js';

/** The fields of a model or of a group, and the types of further ones. */
export function FieldList(props: FieldListProps): ReactNode {
  const { fields, depth, into, isReadOnly = false, onChange } = props;
  const { open } = useBuilder();
  const types = useRef<HTMLDivElement>(null);
  // Of the last rendering, so that an undo keeps later changes.
  const newest = useRef({ fields, onChange });
  newest.current = { fields, onChange };
  const remove = (field: FieldDraft, at: number): void => {
    onChange(fields.filter((one) => one !== field));
    types.current?.querySelector('button')?.focus();
    const run = (): void => {
      const { fields: now, onChange: set } = newest.current;
      set([...now.slice(0, at), field, ...now.slice(at)]);
    };
    say(t`${field.label} removed.`, { label: t`Undo`, run });
  };
  return (
    <div className="field-list">
      {fields.length > 0 && (
        <ul>
          {fields.map((field, i) => (
            <FieldRow
              key={field.id}
              {...props}
              field={field}
              onSet={(changed) => onChange(setField(fields, changed))}
              onRemove={() => remove(field, i)}
              renderFields={(below) => <FieldList {...below} />}
              onNext={() => types.current?.querySelector('button')?.focus()}
            />
          ))}
        </ul>
      )}
      {!isReadOnly && (
        <TypePalette
          ref={types}
          hasGroups={depth > 0}
          {...(into !== undefined && { into })}
          onAdd={(type) => {
            const added = addField(fields, type, into === undefined);
            onChange(added);
            open(added.at(-1)?.id);
          }}
        />
      )}
    </div>
  );
}
