import { useId, type ReactNode } from 'react';
import type { Model, ModelRef } from '../../../../api/models.js';
import { ReferencePicker } from '../../../../form/inputs/reference-picker.js';
import { findUtcTime, inLocalTime } from '../../../../form/inputs/values.js';
import { formatCount } from '../../../../lib/format.js';
import { arrayAt, objectAt, textAt } from '../../../../lib/json.js';
import { t } from '../../../../texts.js';
import type { FilterField } from '../operators.js';
import { useFieldValues } from './use-field-values.js';

interface ValueInputsProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly field: FilterField;
  /** Undefined for any number of values. */
  readonly count: number | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** The inputs for the values of a condition, by the type of its field. */
export function ValueInputs(props: ValueInputsProps): ReactNode {
  const { field, count, values, onChange } = props;
  if (count === undefined) return <SeveralValues {...props} />;
  return (
    <>
      {values.map((value, i) => (
        <OneValue
          key={i}
          {...props}
          label={count === 1 ? t`Value` : i === 0 ? t`From` : t`To`}
          value={value}
          field={field}
          onValue={(changed) => onChange(values.with(i, changed))}
        />
      ))}
    </>
  );
}

interface OneValueProps extends ValueInputsProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function OneValue(props: OneValueProps): ReactNode {
  const { field, label, value, onValue } = props;
  const change = ({ target }: { readonly target: { readonly value: string } }): void => onValue(target.value);
  switch (field.kind) {
    case 'boolean':
    case 'enum':
      return (
        <select aria-label={label} autoFocus value={value} onChange={change}>
          <option value="">{t`choose…`}</option>
          {getChoices(field).map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      );
    case 'number':
      return <input aria-label={label} autoFocus type="number" step="any" value={value} onChange={change} />;
    case 'day':
      return <input aria-label={label} autoFocus type="date" value={value} onChange={change} />;
    case 'date':
      return (
        <input
          aria-label={label}
          autoFocus
          type="datetime-local"
          value={inLocalTime(value)?.slice(0, 'yyyy-mm-ddThh:mm'.length) ?? ''}
          onChange={({ target }) => onValue(findUtcTime(target.value) ?? '')}
        />
      );
    case 'reference': {
      const mark = objectAt(field.schema, 'x-xsvc-reference');
      return (
        <ReferencePicker
          target={{ group: textAt(mark, 'group') ?? '', kind: textAt(mark, 'kind') ?? '' }}
          value={value}
          input={{ 'aria-label': label, 'aria-describedby': '', 'aria-invalid': false }}
          onChange={onValue}
        />
      );
    }
    default:
      return <TextValue {...props} />;
  }
}

/** A text, with the values of the listed objects as suggestions. */
function TextValue({ label, value, onValue, ...asked }: OneValueProps): ReactNode {
  const id = useId();
  const known = useFieldValues(asked, value);
  return (
    <>
      <input
        aria-label={label}
        autoFocus
        list={id}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onValue(target.value)}
      />
      <datalist id={id}>
        {known.map((one) => (
          <option key={String(one.value)} value={String(one.value)} label={formatCount(one.count)} />
        ))}
      </datalist>
    </>
  );
}

/** Checkboxes for the known values; others are typed, one a line. */
function SeveralValues({ values, onChange, ...asked }: ValueInputsProps): ReactNode {
  const known = useFieldValues(asked, '');
  const choices =
    asked.field.kind === 'enum'
      ? getChoices(asked.field).map(([value]) => value)
      : known.map(({ value }) => String(value));
  const all = [...new Set([...choices, ...values])];
  if (all.length === 0 || asked.field.index?.unique === true)
    return (
      <textarea
        aria-label={t`Values, one a line`}
        placeholder={t`Values, one a line`}
        autoFocus
        rows={4}
        value={values.join('\n')}
        onChange={({ target }) => onChange(target.value === '' ? [] : target.value.split('\n'))}
      />
    );
  return (
    <ul className="value-inputs-choices" aria-label={t`Values`}>
      {all.map((value) => (
        <li key={value}>
          <label>
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={({ target }) =>
                onChange(target.checked ? [...values, value] : values.filter((one) => one !== value))
              }
            />
            <span className="value-inputs-choice">{value === '' ? t`(empty)` : value}</span>
            <span className="faint">
              {formatKnown(known.find((one) => String(one.value) === value)?.count)}
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function formatKnown(count: number | undefined): string {
  return count === undefined ? '' : formatCount(count);
}

function getChoices({ kind, schema }: FilterField): readonly (readonly [value: string, name: string])[] {
  if (kind === 'boolean')
    return [
      ['true', t`yes`],
      ['false', t`no`],
    ];
  return arrayAt(schema, 'enum')
    .filter((one) => one !== null && typeof one !== 'object')
    .map((one) => [String(one), String(one)] as const);
}
