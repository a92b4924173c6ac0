import type { ControllerManagerOptions } from '../controller/manager.js';
import { isEvent } from '../events/names.js';
import type { EventRecorder } from '../events/recorder.js';
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
