import { CatalogEditor, isWorkedOn, NO_BUILDER } from '../store/catalog.js';
import type { Engine, Transaction } from '../store/engine.js';
import { LEASES } from '../store/index/keys.js';
import { HOLDERS } from './served-models.js';

/**
 * Removes what processes wrote about themselves from a copy of a store: the models that they serve, their leases, and
 * their work on models. They have the original store open, not this one.
 */
export async function forgetProcesses(engine: Engine): Promise<void> {
  await engine.commit((tx) => {
    for (const range of [HOLDERS, LEASES])
      for (let pair = tx.first(range); pair !== undefined; pair = tx.first(range)) tx.remove(pair.key);
    forgetBuilders(tx);
  });
}

function forgetBuilders(tx: Transaction): void {
  const editor = new CatalogEditor(tx);
  const builders = [...editor.all()].filter(({ builder }) => builder !== undefined && isWorkedOn(builder));
  for (const record of builders) editor.put({ ...record, builder: NO_BUILDER });
}
