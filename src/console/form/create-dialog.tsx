import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { getApiVersion } from '../api/models.js';
import { writeAll } from '../editor/drafts.js';
import { getCauses, Problems, sayFailure } from '../editor/problems.js';
import { useProblems } from '../editor/use-problems.js';
import { DialogFrame } from '../parts/dialogs/dialog-frame.js';
import { say } from '../parts/dialogs/toasts.js';
import { formatCreateRoute } from '../routes/route.js';
import { t } from '../texts.js';
import type { CreateDialogProps } from './create-object.js';
import { newObject } from './new-object.js';
import { ObjectForm } from './object-form.js';
import { useCreate } from './use-create.js';

/** A new object of another model, over the form that refers to it. */
export default function CreateDialog({ model, onCreated, onClose }: CreateDialogProps): ReactNode {
  const client = useQueryClient();
  const [text, setText] = useState(() =>
    newObject({ ...model, apiVersion: getApiVersion(model) }, {}, t`For example:`),
  );
  const newest = useRef(text);
  const change = (typed: string): void => {
    newest.current = typed;
    setText(typed);
  };
  const { create, isSaving } = useCreate(model, {
    onError: sayFailure,
    onSuccess: ({ metadata }) => {
      say(t`Created.`);
      void client.invalidateQueries({ queryKey: ['names'] });
      onCreated(metadata.name);
    },
  });
  const { mutate, error } = create;
  const { guide, lead, isValid, setSent } = useProblems({ content: text, error, isSaving, isForm: true });
  const submit = (): void => {
    writeAll();
    if (isSaving || !isValid(newest.current)) return;
    setSent(newest.current);
    mutate(newest.current);
  };
  return (
    <DialogFrame title={t`Create ${model.kind}`} onClose={onClose}>
      <Problems syntax={[]} error={error} onLead={lead} />
      <ObjectForm
        model={model}
        value={text}
        isNew
        isReadOnly={false}
        isLocked={isSaving}
        causes={getCauses(error)}
        yamlHref={formatCreateRoute(model, 'yaml')}
        onChange={change}
        ref={guide}
      />
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t`Cancel`}
        </button>
        <button type="button" className="primary" aria-disabled={isSaving} onClick={submit}>
          {t`Create`}
        </button>
      </div>
    </DialogFrame>
  );
}
