import type { ReactNode } from 'react';
import { useDependents } from '../../api/related.js';
import type { ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { formatMoment } from '../../lib/format.js';
import { Notice } from '../../parts/notice.js';
import { t } from '../../texts.js';
import { Finalizers } from './finalizers.js';
import { OwnedFate } from './owned.js';
import { getPolicy, type Policy } from './policies.js';
import { ControllerStates, useControllerStates } from './state/object-controllers.js';

interface DeletionNoticeProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** The notice of an object that is being deleted: what it waits for, and the reason. */
export function DeletionNotice({ modelRef, object }: DeletionNoticeProps): ReactNode {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return null;
  return (
    <Notice tone="attention">
      <p>{t`Being deleted since ${formatMoment(deletionTimestamp)}. It waits for these finalizers:`}</p>
      <Finalizers names={finalizers} />
      <Owning modelRef={modelRef} name={object.metadata.name} policy={getPolicy(finalizers)} />
      <Work modelRef={modelRef} name={object.metadata.name} />
    </Notice>
  );
}

interface OwningProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly policy: Policy;
}

function Owning({ modelRef, name, policy }: OwningProps): ReactNode {
  const dependents = useDependents(modelRef, name).data ?? [];
  if (dependents.length === 0) return null;
  return (
    <div className="owned">
      <p>{t`Owned objects`}</p>
      <OwnedFate dependents={dependents} policy={policy} />
    </div>
  );
}

function Work({ modelRef, name }: { readonly modelRef: ModelRef; readonly name: string }): ReactNode {
  const states = useControllerStates(modelRef, name);
  if (states.length === 0) return <p>{t`No controller reports on this object.`}</p>;
  return (
    <>
      <p>{t`Reports of the controllers of this model:`}</p>
      <ControllerStates states={states} />
    </>
  );
}
