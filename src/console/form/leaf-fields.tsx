import { useId, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { t } from '../texts.js';
import { useForm, useMessages, type FieldProps } from './form-state.js';
import { formatPath } from './form-text.js';
import { FieldName, FieldNotes } from './parts.js';
import { ScalarInput } from './scalar-input.js';
import { NameSwitch } from './name-switch.js';
import type { Field, ScalarShape } from './shape.js';

/** One value with its name. */
export function ScalarField({ field, path, value }: FieldProps<ScalarShape>): ReactNode {
  const id = useId();
  const { set } = useForm();
  const messages = useMessages(path);
  return (
    <div className="field" data-field={formatPath(path)}>
      <label htmlFor={id}>
        <FieldName field={field} />
      </label>
      <ScalarInput
        shape={field.shape}
        value={value}
        input={{
          id,
          'aria-label': field.title || field.name,
          'aria-describedby': `${id}-notes`,
          'aria-invalid': messages.length > 0,
          'aria-required': field.isRequired,
          placeholder: getPlaceholder(field),
        }}
        onChange={(given) => set(path, given)}
      />
      <FieldNotes id={`${id}-notes`} description={field.description} messages={messages} />
      {field.naming !== undefined && <NameSwitch naming={field.naming} />}
    </div>
  );
}

function getPlaceholder({ preset, example }: Field): string {
  return preset === '' && example !== '' ? t`for example ${example}` : preset;
}

/** A field that the form displays but cannot edit. */
export function OtherField({ field, path, value }: FieldProps): ReactNode {
  const id = useId();
  const { yamlHref } = useForm();
  const messages = useMessages(path, true);
  return (
    <div
      className="field"
      data-field={formatPath(path)}
      role="group"
      aria-labelledby={id}
      aria-describedby={`${id}-notes`}
    >
      <div className="line">
        <span id={id} className="label">
          <FieldName field={field} />
        </span>
        <a href={yamlHref}>{t`Edit as YAML`}</a>
      </div>
      {value !== undefined && (
        <pre className="other" tabIndex={0} aria-label={field.title || field.name}>
          {stringify(value, { lineWidth: 0 })}
        </pre>
      )}
      <FieldNotes id={`${id}-notes`} description={field.description} messages={messages} />
    </div>
  );
}
