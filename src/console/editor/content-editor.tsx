import type { ReactNode, Ref } from 'react';
import type { Cause } from '../api/errors.js';
import type { Model } from '../api/models.js';
import { ObjectForm } from '../form/object-form.js';
import { Pending } from '../parts/notice.js';
import type { Way } from '../routes/route.js';
import { lazyPart } from '../parts/lazy-part.js';
import type { Guide, Mark } from './places.js';

interface ContentEditorProps {
  readonly way: Way;
  /** Undefined while it is unknown. */
  readonly model: Model | undefined;
  readonly isNew: boolean;
  readonly isReadOnly?: boolean;
  /** True during a save that must not meet changes. */
  readonly isLocked?: boolean;
  /** As YAML, in both forms of editing. */
  readonly value: string;
  readonly marks: readonly Mark[];
  /** The errors of the service. */
  readonly causes: readonly Cause[];
  readonly yamlHref: string;
  readonly onChange: (value: string) => void;
  readonly ref: Ref<Guide>;
}

/** A form needs no editor. */
const CodeEditor = lazyPart(async () => ({ default: (await import('./code-editor.js')).CodeEditor }));

/** Until the schema is known, fields have no documentation. */
const UNKNOWN = {};

/** An editor for an object's text, as YAML or as a form. */
export function ContentEditor(props: ContentEditorProps): ReactNode {
  const { way, model, marks, isReadOnly = false, isLocked = false, ...shared } = props;
  const { value, onChange, ref } = shared;
  if (way === 'yaml')
    return (
      <CodeEditor
        value={value}
        marks={marks}
        schema={model?.schema ?? UNKNOWN}
        isReadOnly={isReadOnly || isLocked}
        onChange={onChange}
        ref={ref}
      />
    );
  return model === undefined ? (
    <Pending error={null} />
  ) : (
    <ObjectForm model={model} isReadOnly={isReadOnly} isLocked={isLocked} {...shared} />
  );
}
