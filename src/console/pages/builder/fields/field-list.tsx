import { useEffect, useRef, type ReactNode } from 'react';
import { useLatest } from '../../../lib/use-latest.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Choice, Notes } from '../../../parts/field.js';
import { Icon, SignButton, type IconName } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { useBuilder, useProblemsOf } from '../builder-context.js';
import { addField, duplicateField, moveField, withType } from '../draft/change-fields.js';
import { isGroup, traitsOf } from '../draft/field-types.js';
import type { FieldDraft } from '../draft/model-draft.js';
import { Line } from '../parts.js';
import { ChoicesInput } from './choices-input.js';
import { FieldMore } from './field-more.js';
import { FieldSwitches } from './field-switches.js';
import { TargetSelect } from './target-select.js';
import { TypePalette, typeName, typesIn } from './type-palette.js';

interface FieldListProps {
  readonly fields: readonly FieldDraft[];
  /** The model itself, for references to it. */
  readonly own: { readonly group: string; readonly kind: string };
  /** The levels of groups that may follow. */
  readonly depth: number;
  /** False in the items of a list. */
  readonly hasLists: boolean;
  /** The name of the group that contains the fields. */
  readonly into?: string;
  /** True for a model that cannot be changed. */
  readonly isReadOnly?: boolean;
  readonly onChange: (fields: readonly FieldDraft[]) => void;
}

/** The fields of a model or of a group, and the types of further ones. */
export function FieldList(props: FieldListProps): ReactNode {
  const { fields, depth, into, isReadOnly = false, onChange } = props;
  const { open } = useBuilder();
  const types = useRef<HTMLDivElement>(null);
  const leadToTypes = (): void => types.current?.querySelector('button')?.focus();
  // An undo keeps later changes.
  const restore = useLatest((field: FieldDraft, at: number) =>
    onChange([...fields.slice(0, at), field, ...fields.slice(at)]),
  );
  const remove = (field: FieldDraft, at: number): void => {
    onChange(fields.filter((one) => one !== field));
    leadToTypes();
    say(t`${field.label} removed.`, { label: t`Undo`, run: () => restore(field, at) });
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
              at={i}
              onSet={(changed) => onChange(fields.map((one) => (one.id === changed.id ? changed : one)))}
              onRemove={() => remove(field, i)}
              onNext={leadToTypes}
            />
          ))}
        </ul>
      )}
      {!isReadOnly && (
        <TypePalette
          ref={types}
          hasGroups={depth > 0}
          into={into}
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

interface FieldRowProps extends FieldListProps {
  readonly field: FieldDraft;
  /** Its position. */
  readonly at: number;
  readonly onSet: (field: FieldDraft) => void;
  readonly onRemove: () => void;
  /** Leads to the types, for the next field. */
  readonly onNext: () => void;
}

/** A field: one line, or open. */
function FieldRow(props: FieldRowProps): ReactNode {
  const { field, at, fields, isReadOnly = false, onChange, onRemove } = props;
  const { opened, open, problems } = useBuilder();
  const isOpen = opened === field.id || hasBelow(field, opened);
  const count = problems.filter(({ fieldId }) => fieldId === field.id || hasBelow(field, fieldId)).length;
  const name = field.label.trim() === '' ? t`New field` : field.label;
  const tool = (icon: IconName, label: string, run: () => void, isDisabled = false): ReactNode => (
    <SignButton icon={icon} label={label} isDisabled={isDisabled} onPress={run} />
  );
  const move = (by: number) => (): void => onChange(moveField(fields, at, at + by));
  return (
    <li className="field-list-row" data-open={isOpen} data-field-id={field.id}>
      <div className="field-list-line">
        <button
          type="button"
          className="field-list-name"
          aria-expanded={isOpen}
          onClick={() => open(isOpen ? undefined : field.id)}
        >
          <Icon name={traitsOf(field.type).icon} />
          <bdi>{name}</bdi>
          <span className="faint">{typeName(field.type)}</span>
          {field.isRequired && (
            <span className="required" title={t`required`}>
              *
            </span>
          )}
          {count > 0 && <span className="problem end">{t`${count} [problem|problems]`}</span>}
        </button>
        {!isReadOnly && (
          <>
            {tool('arrow-up', t`Move ${name} up`, move(-1), at === 0)}
            {tool('arrow-down', t`Move ${name} down`, move(1), at === fields.length - 1)}
            {tool('copy', t`Duplicate ${name}`, () => onChange(duplicateField(fields, field)))}
            {tool('trash', t`Remove ${name}`, onRemove)}
          </>
        )}
      </div>
      {isOpen && (
        <fieldset disabled={isReadOnly}>
          <Content {...props} />
        </fieldset>
      )}
    </li>
  );
}

function hasBelow({ fields }: FieldDraft, id: string | undefined): boolean {
  return id !== undefined && fields.some((one) => one.id === id || hasBelow(one, id));
}

function Content({ field, onSet, onNext, ...list }: FieldRowProps): ReactNode {
  const { id, type, label } = field;
  const { own, depth, hasLists } = list;
  const { opened } = useBuilder();
  const box = useRef<HTMLDivElement>(null);
  const messages = useProblemsOf(id, 'fields');
  useEffect(() => {
    if (opened === id) box.current?.querySelector('input')?.focus();
  }, [opened, id]);
  return (
    <div ref={box} className="field-list-content">
      <div className="tiles tiles-narrow">
        <Line
          label={t`Name`}
          value={label}
          fieldId={id}
          part="label"
          placeholder={t`For example Due date`}
          onChange={(typed) => onSet({ ...field, label: typed })}
          onEnter={onNext}
        />
        {type !== 'other' && (
          <Choice
            label={t`Type`}
            value={type}
            choices={typesIn(depth > 0).map((one) => [one, typeName(one)])}
            onChange={(chosen) => {
              const found = typesIn(true).find((one) => one === chosen);
              if (found !== undefined) onSet(withType(field, found));
            }}
          />
        )}
        {type === 'reference' && <TargetSelect field={field} own={own} onChange={onSet} />}
      </div>
      {type === 'choice' && (
        <ChoicesInput field={field} onChange={(choices) => onSet({ ...field, choices })} />
      )}
      <FieldSwitches field={field} hasLists={hasLists} onChange={onSet} />
      {isGroup(type) && (
        <>
          <Notes messages={messages} />
          <FieldList
            {...list}
            fields={field.fields}
            depth={depth - 1}
            hasLists={hasLists && type === 'group'}
            into={label}
            onChange={(below) => onSet({ ...field, fields: below })}
          />
        </>
      )}
      <FieldMore field={field} onChange={onSet} />
    </div>
  );
}
