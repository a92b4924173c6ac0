import { useId, useState, type ReactNode } from 'react';
import { lazyPart } from '../../parts/lazy-part.js';
import { Failure } from '../../parts/failure.js';
import { t } from '../../texts.js';
import { useForm, useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes } from '../parts.js';
import { formatPath } from '../path.js';
import { getLabel } from '../shape/shape.js';

const CodeEditor = lazyPart(async () => ({
  default: (await import('../../editor/code-editor.js')).CodeEditor,
}));

interface Typed {
  /** It may differ from the written one in spaces. */
  readonly text: string;
  /** Undefined when it is valid YAML. */
  readonly error: string | undefined;
  /** The text of the value after it. */
  readonly stored: string;
}

/** A value without a form: it is edited as YAML, in its place. */
export function YamlField({ field, path }: FieldProps): ReactNode {
  const id = useId();
  const { store, isReadOnly } = useForm();
  const messages = useMessages(path, true);
  const stored = useStored(path, () => store.getText(path));
  const [typed, setTyped] = useState<Typed>();
  const [isOpen, setIsOpen] = useState(false);
  const label = getLabel(field);
  const isFixed = isReadOnly || (field.shape.shape === 'other' && field.shape.isReadOnly === true);
  if (isFixed && stored === '') return null;
  const change = (text: string): void => {
    const error = store.setText(path, text);
    setTyped({ text, error, stored: store.getText(path) });
  };
  // Other changes of the value, such as a discard, replace the typed text.
  const isCurrent = typed !== undefined && typed.stored === stored;
  return (
    <div
      className="form-field"
      data-field={formatPath(path)}
      role="group"
      aria-label={label}
      aria-describedby={`${id}-notes`}
    >
      <div className="line spread form-label">
        <span className="label">
          <FieldName field={field} path={path} />
        </span>
        {!isFixed && !isOpen && (
          <button type="button" className="quiet" onClick={() => setIsOpen(true)}>
            {t`Edit as YAML`}
          </button>
        )}
      </div>
      {isOpen && !isFixed ? (
        <Failure>
          <CodeEditor label={t`${label} as YAML`} value={isCurrent ? typed.text : stored} onChange={change} />
        </Failure>
      ) : (
        stored !== '' && (
          <pre className="well tall value" tabIndex={0} aria-label={label}>
            {stored}
          </pre>
        )
      )}
      {isCurrent && typed.error !== undefined && (
        <p className="problem" role="status">
          {typed.error}
        </p>
      )}
      <FieldNotes id={`${id}-notes`} description={field.description} messages={messages} />
    </div>
  );
}
