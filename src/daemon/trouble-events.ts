import type { Trouble } from '../controller/running-controller.js';
import { EVENTS } from '../events/names.js';
import type { EventRecorder } from '../events/recorder.js';
import type { GvkDeclaration } from '../model/declare/gvk.js';
import type { Service } from '../service/service.js';

/** Records problems of controllers as events of the object. Deleted objects get no event. */
export function troubleEvents(
  service: Pick<Service, 'getMany'>,
  events: EventRecorder,
): (model: GvkDeclaration, name: string, trouble: Trouble) => void {
  const record = async (model: GvkDeclaration, name: string, trouble: Trouble): Promise<void> => {
    const [object] = await service.getMany(model, [name]);
    if (object !== undefined) events.record(object, 'Warning', trouble.reason, trouble.message);
  };
  return (model, name, trouble) => {
    if (model.group === EVENTS.group) return;
    // A model that was closed meanwhile, or a store that cannot be read: the log has the problem itself.
    record(model, name, trouble).catch(() => undefined);
  };
}
