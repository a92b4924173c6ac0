import type { ReactNode } from 'react';
import type { Model } from '../api/models.js';
import { ObjectForm, type ObjectFormProps } from '../form/object-form.js';
import { lazyPart } from '../parts/lazy-part.js';
import { Pending } from '../parts/notice.js';
import type { Way } from '../routes/route.js';
import type { EditProblems } from './use-problems.js';

interface ContentEditorProps extends Omit<ObjectFormProps, 'model' | 'causes' | 'ref'> {
  readonly way: Way;
  readonly model: Model | undefined;
  readonly problems: EditProblems;
}

/** A form needs no editor. */
const CodeEditor = lazyPart(async () => ({ default: (await import('./code-editor.js')).CodeEditor }));

export function ContentEditor({ way, model, problems, ...shared }: ContentEditorProps): ReactNode {
  const { marks, causes, guide } = problems;
  const { value, isReadOnly = false, isLocked = false, onChange } = shared;
  if (way === 'yaml')
    return (
      <CodeEditor
        value={value}
        marks={marks}
        schema={model?.schema}
        isReadOnly={isReadOnly || isLocked}
        onChange={onChange}
        ref={guide}
      />
    );
  if (model === undefined) return <Pending error={null} />;
  return <ObjectForm model={model} causes={causes} ref={guide} {...shared} />;
}
