import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useDependents } from '../../api/related.js';
import { readJson, send } from '../../api/http.js';
import { objectPath, type ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { arrayAt, objectAt } from '../../lib/json.js';
import { formatCount } from '../../lib/format.js';
import { Confirm } from '../../parts/dialogs/confirm.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { say } from '../../parts/dialogs/toasts.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { useRecordFrame } from './record-frame.js';
import { Consequences } from './consequences.js';
import { OwnedFate } from './owned.js';
import { EFFECTS, POLICIES, type Policy } from './policies.js';

interface DeleteObjectProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** Deletes the object after a confirmation. */
export function DeleteObject({ modelRef, object }: DeleteObjectProps): ReactNode {
  const mayDelete = useMay('delete', modelRef, object.metadata.name);
  // It is being deleted already.
  const isAllowed = mayDelete && object.metadata.deletionTimestamp === undefined;
  return (
    <DialogButton
      label={t`Delete`}
      isAllowed={isAllowed}
      dialog={(onClose) => <DeleteDialog modelRef={modelRef} object={object} onClose={onClose} />}
    />
  );
}

interface DeleteDialogProps extends DeleteObjectProps {
  readonly onClose: () => void;
}

/** Asks for confirmation of the deletion. An object that waits for finalizers keeps its page. */
export function DeleteDialog({ modelRef, object, onClose }: DeleteDialogProps): ReactNode {
  const { name, uid, finalizers = [] } = object.metadata;
  const [policy, setPolicy] = useState<Policy>('Background');
  const dependents = useDependents(modelRef, name).data ?? [];
  const owned = dependents.reduce((sum, { total }) => sum + total, 0);
  const { closed } = useRecordFrame();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () =>
      readJson(
        await send(objectPath(modelRef, name), {
          method: 'DELETE',
          body: { preconditions: { uid }, ...(policy !== 'Background' && { propagationPolicy: policy }) },
        }),
      ),
    onSuccess: (left) => {
      onClose();
      const isWaiting = arrayAt(objectAt(left, 'metadata'), 'finalizers').length > 0;
      if (!isWaiting) {
        say(t`${name} was deleted.`);
        navigate(closed);
      }
      void client.invalidateQueries();
    },
  });
  return (
    <Confirm
      title={t`Delete ${name}?`}
      action={t`Delete`}
      isDangerous
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onCancel={onClose}
    >
      <p className="faint">{t`It can be restored from its history while the log keeps it.`}</p>
      <Consequences modelRef={modelRef} name={name} finalizers={finalizers} />
      <details className="owned" open={owned > 0}>
        <summary>
          {t`Owned objects`} {owned > 0 && <span className="total">{formatCount(owned)}</span>}
        </summary>
        <fieldset className="choices stack tight" aria-label={t`Owned objects`}>
          {POLICIES.map((one) => (
            <label key={one}>
              <input type="radio" name="policy" checked={policy === one} onChange={() => setPolicy(one)} />{' '}
              {EFFECTS[one]()}
            </label>
          ))}
        </fieldset>
        <OwnedFate dependents={dependents} policy={policy} />
      </details>
    </Confirm>
  );
}
