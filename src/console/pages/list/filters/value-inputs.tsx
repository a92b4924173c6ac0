import { useId, type ReactNode } from 'react';
import { ReferencePicker } from '../../../form/inputs/reference-picker.js';
import { findUtcTime, inLocalTime } from '../../../form/inputs/values.js';
import { formatCount } from '../../../lib/format.js';
import { arrayAt, objectAt, textAt } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import type { FilterField } from './operators.js';
import { useFieldValues } from './use-field-values.js';

interface ValueInputsProps {
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
  return values.map((value, i) => (
    <OneValue
      key={i}
      label={count === 1 ? t`Value` : i === 0 ? t`From` : t`To`}
      value={value}
      field={field}
      onValue={(changed) => onChange(values.with(i, changed))}
    />
  ));
}

interface OneValueProps {
  readonly field: FilterField;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function OneValue(props: OneValueProps): ReactNode {
  const { field, label, value, onValue } = props;
  const change = ({ target }: { readonly target: { readonly value: string } }): void => onValue(target.value);
  const common = { 'aria-label': label, autoFocus: true };
  switch (field.kind) {
    case 'boolean':
    case 'enum':
      return (
        <select {...common} value={value} onChange={change}>
          <option value="">{t`choose…`}</option>
          {getChoices(field).map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      );
    case 'number':
      return <input {...common} type="number" step="any" value={value} onChange={change} />;
    case 'day':
      return <input {...common} type="date" value={value} onChange={change} />;
    case 'date':
      return (
        <input
          {...common}
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
function TextValue({ field, label, value, onValue }: OneValueProps): ReactNode {
  const id = useId();
  const known = useFieldValues(field, value);
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
function SeveralValues({ field, values, onChange }: ValueInputsProps): ReactNode {
  const known = new Map(useFieldValues(field, '').map(({ value, count }) => [String(value), count]));
  const choices = field.kind === 'enum' ? getChoices(field).map(([value]) => value) : known.keys();
  const all = [...new Set([...choices, ...values])];
  if (all.length === 0 || field.index?.unique === true)
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
    <ul className="tall" aria-label={t`Values`}>
      {all.map((value) => {
        const count = known.get(value);
        return (
          <li key={value}>
            <label className="line value-inputs-choice">
              <input
                type="checkbox"
                checked={values.includes(value)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...values, value] : values.filter((one) => one !== value))
                }
              />
              <span>{value === '' ? t`(empty)` : value}</span>
              <span className="faint end">{count !== undefined && formatCount(count)}</span>
            </label>
          </li>
        );
      })}
    </ul>
  );
}

function getChoices({ kind, schema }: FilterField): readonly (readonly [value: string, name: string])[] {
  if (kind === 'boolean')
    return [
      ['true', t`yes`],
      ['false', t`no`],
    ];
  const scalars = arrayAt(schema, 'enum').filter((one) => one !== null && typeof one !== 'object');
  return scalars.map((one) => [String(one), String(one)] as const);
}
