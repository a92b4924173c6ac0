import type { ReactNode } from 'react';
import { LongText } from '../parts/long-text.js';
import { t } from '../texts.js';
import type { Field } from './shape.js';

/** The title of a field and its name, or the name alone, with a mark when it is required. */
export function FieldName({
  field,
}: {
  readonly field: Pick<Field, 'name' | 'title' | 'isRequired'>;
}): ReactNode {
  return (
    <>
      {field.title || field.name}
      {field.title !== '' && <code className="faint also">{field.name}</code>}
      {field.isRequired && (
        <span className="required" aria-hidden="true" title={t`required`}>
          {' *'}
        </span>
      )}
    </>
  );
}

interface FieldNotesProps {
  readonly id: string;
  readonly description: string;
  readonly limits?: readonly string[];
  readonly messages: readonly string[];
}

/** The description, the limits and the errors of a field. Its input is described by the id. */
export function FieldNotes({ id, description, limits = [], messages }: FieldNotesProps): ReactNode {
  return (
    <div id={id} className="field-notes">
      {messages.map((message) => (
        <p key={message} className="problem">
          {message}
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

/** The name and the description of an input. */
export interface InputProps {
  readonly id?: string;
  readonly 'aria-label': string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-required'?: boolean;
  readonly placeholder?: string;
}
