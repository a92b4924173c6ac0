import type { ChangeStream, ControllerSource, ObjectChange } from '../controller/source.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { SchemeSource } from '../service/extension-client.js';
import type { Service } from '../service/service.js';
import type { ModelView } from '../service/read/view.js';
import type { Subscription } from '../watch/subscription.js';

/** Gives controllers the objects and the changes of the service. */
export function controllerSource(service: Service, schemes: SchemeSource): ControllerSource {
  const getView = (model: ModelClass): ModelView => service.models.view(schemes.getScheme(model).resource);
  return {
    async open(model, signal): Promise<ChangeStream> {
      const { table } = getView(model);
      return service.store.within(async (view) => {
        const after = await view.revision();
        const subscription = service.hub.subscribe(table, { after, signal });
        const changes = iterateBatches(subscription, () => getView(model));
        return { changes, position: () => subscription.position };
      });
    },
    names: (model, options) => service.eachName(getView(model).resource, options),
    added: (model) => iterateObjects(service, () => getView(model)),
    readableRevision: () => service.store.revision('local'),
    countSetbacks: () => service.store.engine.countSetbacks(),
  };
}

/** @param getView the controller's version, as it is when an object is read */
async function* iterateBatches(
  subscription: Subscription,
  getView: () => ModelView,
): AsyncGenerator<readonly ObjectChange[]> {
  for await (const { changes } of subscription) {
    yield changes.map((change) => ({
      type: change.type,
      name: change.name,
      object: () => getView().shown(change.object()),
      previous: () => {
        const before = change.previousObject();
        return before && getView().shown(before);
      },
    }));
  }
}

/** The number of objects in memory while their names are read. */
const OBJECTS_AT_ONCE = 50;

async function* iterateObjects(service: Service, getView: () => ModelView): AsyncGenerator<ObjectChange> {
  let names: string[] = [];
  for await (const name of service.eachName(getView().resource)) {
    if (names.push(name) < OBJECTS_AT_ONCE) continue;
    yield* await readObjects(service, getView, names);
    names = [];
  }
  yield* await readObjects(service, getView, names);
}

/** Objects that are gone are left out. They are converted when they are used. */
async function readObjects(
  service: Service,
  getView: () => ModelView,
  names: readonly string[],
): Promise<readonly ObjectChange[]> {
  const { table } = getView();
  return service.store.within(async (view) => {
    const ids = await view.findIds(table, names);
    const found = names.flatMap((name, at) => (ids[at] === undefined ? [] : [{ name, id: ids[at] }]));
    const stored = await view.readMany(
      table,
      found.map(({ id }) => id),
    );
    return found.flatMap(({ name }, at): ObjectChange[] => {
      const bytes = stored[at]?.bytes;
      if (bytes === undefined) return [];
      return [{ type: 'ADDED', name, object: () => getView().object(bytes), previous: () => undefined }];
    });
  });
}
