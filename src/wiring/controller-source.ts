import type { ChangeStream, ControllerSource, ObjectChange } from '../controller/source.js';
import type { SchemeSource } from '../service/extension-client.js';
import type { Service } from '../service/service.js';
import type { Subscription } from '../watch/subscription.js';

/** Gives controllers the objects and the changes of the service. */
export function controllerSource(service: Service, schemes: SchemeSource): ControllerSource {
  const tableOf = (model: Parameters<SchemeSource['schemeOf']>[0]) =>
    service.models.table(schemes.schemeOf(model).resource);
  return {
    async open(model, signal): Promise<ChangeStream> {
      const table = tableOf(model);
      const view = service.store.read();
      try {
        const after = await view.revision();
        const subscription = service.hub.subscribe(table, { after, signal });
        return { changes: batchesOf(subscription), position: () => subscription.position };
      } finally {
        view.close();
      }
    },
    names: (model, options) => service.eachName(tableOf(model).resource, options),
  };
}

async function* batchesOf(subscription: Subscription): AsyncGenerator<readonly ObjectChange[]> {
  for await (const { changes } of subscription) {
    yield changes.map((change) => ({
      type: change.type,
      name: change.name,
      object: () => change.object(),
      previous: () => change.previousObject(),
    }));
  }
}
