import type { ControllerManagerOptions } from '../controller/manager.js';
import { isEvent, isEventObject } from '../events/names.js';
import type { EventRecorder } from '../events/recorder.js';
import { formatExcerpt } from '../errors.js';
import type { OnBlocked } from '../expiry/deletions.js';
import { EXPIRY } from '../model/system-users.js';
import type { OnUnresolvable } from '../owners/collector.js';
import type { Service } from '../service/service.js';

/** Records problems of controllers as events of the object. Deleted objects get no event. */
export function troubleEvents(
  service: Pick<Service, 'getMany'>,
  events: EventRecorder,
): NonNullable<ControllerManagerOptions['onTrouble']> {
  return (model, name, { reason, message }, user) => {
    if (isEvent(model)) return;
    const recorder = events.by(() => user);
    service.getMany(model, [name]).then(
      ([object]) => object && recorder.record(object, 'Warning', reason, message),
      // A model that was closed meanwhile, or a store that cannot be read: the log has the problem itself.
      () => undefined,
    );
  };
}

/** Records owner references that name no namespace as events of their object, as Kubernetes does. */
export function ownerEvents(events: Pick<EventRecorder, 'record'>): OnUnresolvable {
  return (object, { kind, name }) => {
    if (isEventObject(object)) return;
    const message =
      `the owner ${kind} "${formatExcerpt(name)}" is in a namespace, and this object is in none; ` +
      'it is not removed with its owners until this reference is removed';
    events.record(object, 'Warning', 'OwnerRefInvalidNamespace', message);
  };
}

/** Records what prevents the deletion of expired objects as events of them. */
export function expiryEvents(events: Pick<EventRecorder, 'by'>): OnBlocked {
  const recorder = events.by(() => EXPIRY);
  return (object, reason) => {
    if (!isEventObject(object)) recorder.record(object, 'Warning', 'ExpiryBlocked', reason);
  };
}
