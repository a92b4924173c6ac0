import type { ReactNode, Ref } from 'react';
import type { Cause } from '../api/errors.js';
import type { Model } from '../api/models.js';
import { ObjectForm } from '../form/object-form.js';
import { Pending } from '../parts/notice.js';
import type { Way } from '../routes/route.js';
import { CodeEditor } from './code-editor.js';
import type { Guide, Mark } from './places.js';

interface ContentEditorProps {
  readonly way: Way;
  /** Undefined as long as it is not known. */
  readonly model: Model | undefined;
  readonly isNew: boolean;
  readonly isReadOnly?: boolean;
  /** As YAML, whatever way it is edited. */
  readonly value: string;
  readonly marks: readonly Mark[];
  /** What the service refused. */
  readonly causes: readonly Cause[];
  readonly yamlHref: string;
  readonly onChange: (value: string) => void;
  readonly ref: Ref<Guide>;
}

/** Until it is known, nothing is said of fields. */
const UNKNOWN = {};

/** An object's text, to edit as it is or as a form. */
export function ContentEditor(props: ContentEditorProps): ReactNode {
  const { way, model, marks, isReadOnly = false, ...shared } = props;
  const { value, onChange, ref } = shared;
  if (way === 'yaml')
    return (
      <CodeEditor
        value={value}
        marks={marks}
        schema={model?.schema ?? UNKNOWN}
        isReadOnly={isReadOnly}
        onChange={onChange}
        ref={ref}
      />
    );
  return model === undefined ? (
    <Pending error={null} />
  ) : (
    <ObjectForm model={model} isReadOnly={isReadOnly} {...shared} />
  );
}
