import { useId, type ReactNode } from 'react';
import { formatCount } from '../../lib/format.js';
import { t } from '../../texts.js';
import { useForm, useMessages, useValue, type FieldProps } from '../form-state.js';
import { ScalarInput } from '../inputs/scalar-input.js';
import { FieldName, FieldNotes, getLabel } from '../parts.js';
import { formatPath } from '../path.js';
import type { Field, ScalarShape } from '../shape/shape.js';
import { NameSwitch } from './name-switch.js';

/** One value with its label. */
export function ScalarField({ field, path }: FieldProps<ScalarShape>): ReactNode {
  const id = useId();
  const { store } = useForm();
  const value = useValue(path);
  const messages = useMessages(path);
  return (
    <div className={field.isHalf ? 'form-field form-half' : 'form-field'} data-field={formatPath(path)}>
      <div className="form-label">
        <label htmlFor={id}>
          <FieldName field={field} path={path} />
        </label>
        <Side shape={field.shape} value={value} />
      </div>
      <ScalarInput
        shape={field.shape}
        isRequired={field.isRequired}
        value={value}
        input={{
          id,
          'aria-label': getLabel(field),
          'aria-describedby': `${id}-notes`,
          'aria-invalid': messages.length > 0,
          'aria-required': field.isRequired,
          placeholder: getPlaceholder(field),
        }}
        onChange={(given) => store.set(path, given)}
      />
      <FieldNotes id={`${id}-notes`} description={field.description} messages={messages} />
      {field.naming !== undefined && <NameSwitch naming={field.naming} />}
    </div>
  );
}

function getPlaceholder({ preset, example }: Field): string {
  return preset === '' && example !== '' ? t`for example ${example}` : preset;
}

/** Beside the label: the kind of a long text, and its length when it is limited. */
function Side({ shape, value }: { readonly shape: ScalarShape; readonly value: unknown }): ReactNode {
  const { widget, choices, kind, schema } = shape;
  const { maxLength } = schema;
  const isLong = widget === 'markdown' || widget === 'multiline' || widget === 'code';
  const length = typeof value === 'string' ? value.length : 0;
  const isNear = typeof maxLength === 'number' && (isLong || length > maxLength * NEAR);
  const parts = [
    widget === 'markdown' ? t`Markdown` : '',
    isNear && kind === 'text' && choices === undefined
      ? `${formatCount(length)} / ${formatCount(maxLength)}`
      : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : <span className="form-side">{parts.join(' · ')}</span>;
}

/** The part of a limit from which on the length of a short text matters. */
const NEAR = 0.8;
