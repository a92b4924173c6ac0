import { useState, type ReactNode } from 'react';
import { deleteObject } from '../../api/platform/access.js';
import type { ModelRef } from '../../api/models.js';
import type { Metadata } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { Confirm } from '../../parts/dialogs/confirm.js';
import { say } from '../../parts/dialogs/toasts.js';
import { text } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';

interface DeleteButtonProps {
  readonly model: ModelRef;
  readonly metadata: Metadata;
  readonly action: string;
}

/** Deletes an object after a confirmation. */
export function DeleteButton({ model, metadata, action }: DeleteButtonProps): ReactNode {
  const { name } = metadata;
  const [isOpen, setIsOpen] = useState(false);
  const mayDelete = useMay('delete', model, name);
  const { mutate, reset, isPending, error } = useAccessWrite(
    () => deleteObject(model, metadata),
    () => {
      setIsOpen(false);
      say(text.object.deletedNow(name));
    },
  );
  return (
    <>
      {mayDelete && (
        <button
          type="button"
          className="quiet"
          aria-label={`${action} ${name}`}
          onClick={() => setIsOpen(true)}
        >
          {action}
        </button>
      )}
      {isOpen && (
        <Confirm
          title={text.object.deleteTitle(name)}
          action={action}
          isDangerous
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate()}
          onCancel={() => {
            setIsOpen(false);
            reset();
          }}
        >
          <p className="faint">{text.access.deleteHints[model.plural]}</p>
        </Confirm>
      )}
    </>
  );
}
