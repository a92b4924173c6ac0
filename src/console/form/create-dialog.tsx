import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { getApiVersion } from '../api/models.js';
import { writeAll } from '../editor/drafts.js';
import { Problems } from '../editor/problems.js';
import { Question } from '../parts/dialogs/confirm.js';
import { getKindTitle } from '../lib/naming.js';
import { DialogFrame } from '../parts/dialogs/dialog-frame.js';
import { formatCreateRoute } from '../routes/route.js';
import { t } from '../texts.js';
import type { CreateDialogProps } from './create-object.js';
import { newObject } from './new-object.js';
import { ObjectForm } from './object-form.js';
import { useCreate } from './use-create.js';

/** A new object of another model, over the form that refers to it. */
export default function CreateDialog({ model, onCreated, onClose }: CreateDialogProps): ReactNode {
  const client = useQueryClient();
  const [text, setText] = useState(() => newObject({ ...model, apiVersion: getApiVersion(model) }));
  const newest = useRef(text);
  const { problems, error, isSaving, create } = useCreate(model, {
    content: text,
    isForm: true,
    onCreated: (name) => {
      void client.invalidateQueries({ queryKey: ['names'] });
      onCreated(name);
    },
  });
  return (
    <DialogFrame title={t`Create ${getKindTitle(model, model)}`} onClose={onClose}>
      <Question
        action={t`Create`}
        hasFields
        isDisabled={isSaving}
        error={null}
        onConfirm={() => {
          writeAll();
          create(newest.current);
        }}
        onCancel={onClose}
      >
        <Problems problems={problems} error={error} ofForm={model} />
        <ObjectForm
          model={model}
          value={text}
          isNew
          isLocked={isSaving}
          causes={problems.causes}
          yamlHref={formatCreateRoute(model, 'yaml')}
          onChange={(typed) => {
            newest.current = typed;
            setText(typed);
          }}
          ref={problems.guide}
        />
      </Question>
    </DialogFrame>
  );
}
