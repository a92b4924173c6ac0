import { useEffect, useRef, type ReactNode } from 'react';
import { Icon } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { useBuilder, useProblemsOf } from '../builder-context.js';
import { ChoicesInput } from './choices-input.js';
import { duplicateField, moveField, withType } from '../draft/change-fields.js';
import { isGroup, traitsOf } from '../draft/field-types.js';
import { FIELD_TYPES, type FieldDraft } from '../draft/model-draft.js';
import type { FieldListProps } from './field-props.js';
import { FieldMore } from './field-more.js';
import { FieldSwitches } from './field-switches.js';
import { typeName } from './field-texts.js';
import { Line, Notes } from '../parts.js';
import { TargetSelect } from './target-select.js';

interface FieldRowProps extends Omit<FieldListProps, 'into'> {
  readonly field: FieldDraft;
  readonly onSet: (field: FieldDraft) => void;
  readonly onRemove: () => void;
  /** The fields of a group; a parameter, because they have rows too. */
  readonly renderFields: (list: FieldListProps) => ReactNode;
  /** Leads to the types, for the next field. */
  readonly onNext: () => void;
}

/** A field: one line, or open. */
export function FieldRow(props: FieldRowProps): ReactNode {
  const { field, fields, isReadOnly = false, onChange, onRemove } = props;
  const { opened, open, problems } = useBuilder();
  const isOpen = opened === field.id || hasBelow(field, opened);
  const count = problems.filter(({ fieldId }) => fieldId === field.id || hasBelow(field, fieldId)).length;
  const name = field.label.trim() === '' ? t`New field` : field.label;
  const tool = (icon: string, label: string, run: () => void, isDisabled = false): ReactNode => (
    <button
      type="button"
      className="quiet sign"
      aria-label={label}
      title={label}
      aria-disabled={isDisabled}
      onClick={isDisabled ? undefined : run}
    >
      <Icon name={icon} />
    </button>
  );
  const at = fields.indexOf(field);
  return (
    <li className="field-row" data-open={isOpen} data-field-id={field.id}>
      <div className="field-row-line">
        <button
          type="button"
          className="field-row-name"
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
          {count > 0 && <span className="field-row-count">{t`${count} [problem|problems]`}</span>}
        </button>
        {!isReadOnly && (
          <>
            {tool('arrow-up', t`Move ${name} up`, () => onChange(moveField(fields, field.id, -1)), at === 0)}
            {tool(
              'arrow-down',
              t`Move ${name} down`,
              () => onChange(moveField(fields, field.id, 1)),
              at === fields.length - 1,
            )}
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

function Content({
  field,
  own,
  depth,
  hasLists,
  isReadOnly = false,
  onSet,
  onNext,
  renderFields,
}: FieldRowProps): ReactNode {
  const { id, type, label } = field;
  const { opened } = useBuilder();
  const box = useRef<HTMLDivElement>(null);
  const messages = useProblemsOf(id, 'fields');
  useEffect(() => {
    if (opened === id) box.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, [opened, id]);
  return (
    <div ref={box} className="field-row-content">
      <div className="builder-grid">
        <Line
          label={t`Name`}
          value={label}
          fieldId={id}
          part="label"
          isFirst
          placeholder={t`For example Due date`}
          onChange={(typed) => onSet({ ...field, label: typed })}
          onEnter={onNext}
        />
        {type !== 'other' && (
          <div className="field">
            <label htmlFor={`${id}-type`}>{t`Type`}</label>
            <select
              id={`${id}-type`}
              value={type}
              onChange={({ target }) => {
                const chosen = FIELD_TYPES.find((one) => one === target.value);
                if (chosen !== undefined) onSet(withType(field, chosen));
              }}
            >
              {FIELD_TYPES.filter((one) => depth > 0 || !isGroup(one)).map((one) => (
                <option key={one} value={one}>
                  {typeName(one)}
                </option>
              ))}
            </select>
          </div>
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
          {renderFields({
            fields: field.fields,
            own,
            depth: depth - 1,
            hasLists: hasLists && type === 'group',
            isReadOnly,
            into: label,
            onChange: (below) => onSet({ ...field, fields: below }),
          })}
        </>
      )}
      <FieldMore field={field} onChange={onSet} />
    </div>
  );
}
