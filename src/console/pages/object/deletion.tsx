import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { readJson, send } from '../../api/http.js';
import { getPath, objectPath, type ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import {
  EFFECTS,
  useDependents,
  useReferrers,
  type FieldReferrers,
  type ModelDependents,
} from '../../api/related.js';
import { getTitle } from '../../api/titles.js';
import { formatCount, formatMoment } from '../../lib/format.js';
import { arrayAt, objectAt } from '../../lib/json.js';
import { Question } from '../../parts/dialogs/confirm.js';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { say } from '../../parts/dialogs/toasts.js';
import { Notice } from '../../parts/notice.js';
import { navigate } from '../../routes/use-route.js';
import { ModelName } from '../../parts/models/model-name.js';
import { t } from '../../texts.js';
import { FieldName } from './field-name.js';
import { useRecord } from './record.js';
import { Names } from './related.js';
import { ControllerStates, useControllerStates } from './state/object-controllers.js';

/** The handling of a deleted object's dependents. */
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

const FATES: Readonly<Record<Policy, () => string>> = {
  Background: () => t`are deleted after it`,
  Foreground: () => t`are deleted before it, and it waits for them`,
  Orphan: () => t`are kept, without this owner`,
};

interface DeleteDialogProps {
  readonly object: StoredObject;
  readonly onClose: () => void;
}

/** Asks for confirmation of the deletion. An object that waits for finalizers keeps its page. */
export function DeleteDialog({ object, onClose }: DeleteDialogProps): ReactNode {
  const { name, uid, finalizers = [] } = object.metadata;
  const { modelRef, model, closed } = useRecord();
  const title = getTitle(model, object) ?? name;
  const [policy, setPolicy] = useState<Policy>('Background');
  const referrers = (useReferrers(modelRef, name).data ?? []).filter(({ total }) => total > 0);
  const dependents = useDependents(modelRef, name).data ?? [];
  const owned = dependents.reduce((sum, { total }) => sum + total, 0);
  const isPrevented = isRefused(referrers, modelRef, name);
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
      if (arrayAt(objectAt(left, 'metadata'), 'finalizers').length === 0) {
        say(t`${title} was deleted.`);
        navigate(closed);
      }
      void client.invalidateQueries();
    },
  });
  return (
    <DialogFrame title={t`Delete ${title}?`} onClose={isPending ? undefined : onClose}>
      <Question
        action={t`Delete`}
        isDangerous
        isDisabled={isPending || isPrevented}
        error={error}
        onConfirm={() => mutate()}
        onCancel={onClose}
      >
        {isPrevented ? (
          <p className="problem" role="status">{t`Other objects refer to it, and prevent its deletion.`}</p>
        ) : (
          <p className="faint">{t`It can be restored from its history while the log keeps it.`}</p>
        )}
        {referrers.length > 0 && (
          <ul className="lines" aria-label={t`Referred to by`}>
            {referrers.map((one) => (
              <li key={`${getPath(one)} ${one.field}`}>
                <strong>{formatCount(one.total)}</strong> <ModelName modelRef={one} />{' '}
                <FieldName modelRef={one} field={one.field} />: <Names of={one} />
                {one.onDelete !== 'restrict' && <p className="faint">{EFFECTS[one.onDelete]()}</p>}
              </li>
            ))}
          </ul>
        )}
        {finalizers.length > 0 && (
          <div>
            <p>{t`It will stay until these finalizers are removed:`}</p>
            <Finalizers names={finalizers} />
          </div>
        )}
        <details className="owned" open={owned > 0}>
          <summary>
            {t`Owned objects`} {owned > 0 && <span className="total">{formatCount(owned)}</span>}
          </summary>
          <fieldset className="choices stack tight" aria-label={t`Owned objects`}>
            {POLICIES.map((one) => (
              <label key={one}>
                <input type="radio" name="policy" checked={policy === one} onChange={() => setPolicy(one)} />{' '}
                {FATES[one]()}
              </label>
            ))}
          </fieldset>
          <OwnedFate dependents={dependents} policy={policy} />
        </details>
      </Question>
    </DialogFrame>
  );
}

/** True when the service will certainly refuse the deletion. Referrers that are deleted with the object do not prevent it. */
function isRefused(referrers: readonly FieldReferrers[], model: ModelRef, name: string): boolean {
  if (referrers.some(({ onDelete }) => onDelete === 'cascade')) return false;
  const isItself = ({ group, plural, names }: FieldReferrers): boolean =>
    group === model.group && plural === model.plural && names.includes(name);
  return referrers.some((one) => one.onDelete === 'restrict' && one.total > (isItself(one) ? 1 : 0));
}

interface OwnedFateProps {
  readonly dependents: readonly ModelDependents[];
  readonly policy: Policy;
}

/** The numbers of dependents that are deleted with the object, and that remain. */
function OwnedFate({ dependents, policy }: OwnedFateProps): ReactNode {
  return (
    <ul className="lines" aria-label={t`Owned objects`}>
      {dependents.map((one) => {
        const kept = policy === 'Orphan' ? 0 : one.shared;
        const fates = [
          [one.total - kept, FATES[policy]()],
          [kept, t`also have other owners, and are kept`],
        ] as const;
        return (
          <li key={getPath(one)}>
            {fates.map(
              ([count, fate]) =>
                count > 0 && (
                  <p key={fate}>
                    <strong>{formatCount(count)}</strong> <ModelName modelRef={one} />: {fate}
                  </p>
                ),
            )}
            <p>
              <Names of={one} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

const KNOWN: ReadonlyMap<string, () => string> = new Map([
  ['foregroundDeletion', () => t`It waits until the objects that it owns are deleted.`],
  ['orphan', () => t`It waits until the objects that it owns are released.`],
  [
    'xsvc.platform.run/cascade',
    () => t`The objects that refer to it are being deleted, or lose the reference.`,
  ],
]);

function Finalizers({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code> {KNOWN.get(name)?.() ?? t`Its controller removes it after cleaning up.`}
        </li>
      ))}
    </ul>
  );
}

/** The notice of an object that is being deleted: what it waits for, and the reason. */
export function DeletionNotice({ object }: { readonly object: StoredObject }): ReactNode {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return null;
  return (
    <Notice tone="attention">
      <p>{t`Being deleted since ${formatMoment(deletionTimestamp)}. It waits for these finalizers:`}</p>
      <Finalizers names={finalizers} />
      <Waiting finalizers={finalizers} />
    </Notice>
  );
}

/** The objects and the controllers that a deletion may wait for. */
function Waiting({ finalizers }: { readonly finalizers: readonly string[] }): ReactNode {
  const { modelRef, name } = useRecord();
  const dependents = useDependents(modelRef, name).data ?? [];
  const states = useControllerStates();
  const isForeground = finalizers.includes('foregroundDeletion');
  const policy = finalizers.includes('orphan') ? 'Orphan' : isForeground ? 'Foreground' : 'Background';
  return (
    <>
      {dependents.length > 0 && (
        <div className="owned">
          <p>{t`Owned objects`}</p>
          <OwnedFate dependents={dependents} policy={policy} />
        </div>
      )}
      <p>
        {states.length === 0
          ? t`No controller reports on this object.`
          : t`Reports of the controllers of this model:`}
      </p>
      {states.length > 0 && <ControllerStates states={states} />}
    </>
  );
}
