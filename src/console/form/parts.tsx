import type { ReactNode } from 'react';
import { LongText } from '../parts/long-text.js';
import { t } from '../texts.js';
import { formatPath, type Path } from './path.js';
import { getLabel, type Field } from './shape/shape.js';

interface FieldNameProps {
  readonly field: Pick<Field, 'name' | 'title' | 'isRequired'>;
  readonly path: Path;
}

/** The label of a field, with a mark when it is required. Its path is a tooltip. */
export function FieldName({ field, path }: FieldNameProps): ReactNode {
  return (
    <span title={formatPath(path)}>
      {getLabel(field)}
      {field.isRequired && (
        <span className="required" aria-hidden="true" title={t`required`}>
          {' *'}
        </span>
      )}
    </span>
  );
}

interface FieldNotesProps {
  readonly id: string;
  readonly description: string;
  readonly limits?: readonly string[];
  readonly messages: readonly string[];
  /** The name of the field, which begins messages without one. */
  readonly label?: string;
}

/** The errors, the description and the limits of a field. Its input is described by the id. */
export function FieldNotes(props: FieldNotesProps): ReactNode {
  const { id, description, limits = [], messages, label } = props;
  return (
    <div id={id} className="form-notes">
      {messages.map((message) => (
        <p key={message} className="problem">
          {label !== undefined && /^\p{Ll}/u.test(message) ? `${label} ${message}` : message}
        </p>
      ))}
      {description !== '' && (
        <div className="faint">
          <LongText value={description} />
        </div>
      )}
      {limits.length > 0 && <div className="faint">{limits.join(' · ')}</div>}
    </div>
  );
}

export interface InputProps {
  readonly id?: string;
  readonly 'aria-label': string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required'?: boolean;
  readonly placeholder?: string;
}

export interface OneProps {
  readonly value: unknown;
  readonly input: InputProps;
  /** Called with undefined when the input is empty. */
  readonly onChange: (value: unknown) => void;
}
