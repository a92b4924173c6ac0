import { actionOn, limitable } from '../../access/rules.js';
import { conflict, hasCode, notFound, ServiceError } from '../../errors.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { getSubject } from '../../service/object-errors.js';
import type { FindWriteScope } from '../../service/scope/write-scope.js';
import type { BatchItem, CommitCheck } from '../../service/verbs.js';
import type { AgentWrites } from '../caller.js';
import { defineTool } from '../tool.js';
import { fingerprint, readEffects } from './effects.js';
import { takePlan, type PlannedCommand, type StoredPlan } from './stored-plan.js';
import { writesOf } from './writes.js';

export const APPLY_TOOL = defineTool({
  name: 'apply',
  title: 'Apply a plan',
  description:
    'Stores exactly what a plan has shown, in one commit, or nothing. Fails with 409 when an object has changed since; then plan again. Answers the `revision` of the commit, which `undo` accepts.',
  parameters: {
    plan: { type: 'text', about: 'The `plan` that the tool `plan` answered' },
  },
  isReadOnly: false,
  isDestructive: true,
  isIdempotent: false,
  run: async ({ plan: name }, caller) => {
    const writes = writesOf(caller);
    const plan = await takePlan(writes.service.store.engine, name, writes.holder);
    const asked = new Map<object, string>();
    const items = plan.writes.map((write) => {
      const resource = findResource(writes, write);
      const isNew = write.asked === 'create';
      caller.rights?.authorize(limitable(actionOn(write.asked, resource, isNew ? undefined : write.name)));
      const item = toItem(write, resource);
      asked.set(item, write.asked);
      return item;
    });
    return { revision: await commit(writes, { items, asked }, plan) };
  },
});

function findResource({ service }: AgentWrites, { model }: PlannedCommand): Resource {
  const resource = service.models.findByKind(model);
  if (resource !== undefined) return resource;
  throw notFound(`no model ${model.kind} of ${getApiVersion(model)} is served any more; plan again`);
}

function toItem(
  { name, asked, object, uid, preconditions, propagationPolicy }: PlannedCommand,
  resource: Resource,
): BatchItem {
  if (asked === 'create') return { verb: 'create', resource, object, uid };
  if (asked !== 'delete') return { verb: 'update', resource, name, object };
  return {
    verb: 'delete',
    resource,
    name,
    ...(preconditions && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
  };
}

/** @throws ServiceError `Conflict` when the commit would do something else than the plan */
async function commit(
  writes: AgentWrites,
  { items, asked }: { readonly items: readonly BatchItem[]; readonly asked: ReadonlyMap<object, string> },
  { effects }: StoredPlan,
): Promise<string> {
  try {
    const { resourceVersion } = await writes.write({}, (all) => {
      const admission: CommitCheck = (tx, changes) => {
        all.admission?.(tx, changes);
        const now = readEffects(changes);
        const planned = new Set(effects);
        const other = now.find((effect) => !planned.has(fingerprint(effect)));
        if (other === undefined && now.length === effects.length) return;
        const isNamed = other !== undefined && (all.mayList?.(other.resource) ?? true);
        throw conflict(
          isNamed
            ? `the plan is outdated: ${getSubject(other.resource, other.name)} would change in another way than planned; plan again`
            : 'the plan is outdated: other objects would change than planned; plan again',
        );
      };
      // A planned patch is an update of the whole object, and needs the right to patch.
      const scopeOf: FindWriteScope = (write, model) => {
        const scope = all.scopeOf?.({ ...write, verb: asked.get(write) ?? write.verb }, model);
        return scope && { ...scope, statesAll: true };
      };
      return writes.service.batch(items, { ...all, admission, scopeOf });
    });
    return resourceVersion;
  } catch (error) {
    throw asOutdated(error);
  }
}

/** The items could be stored when they were planned, so another change prevents them now. */
function asOutdated(error: unknown): unknown {
  if (!hasCode(error, 'AlreadyExists', 'NotFound', 'Invalid', 'Conflict')) return error;
  if (error.message.startsWith('the plan is outdated')) return error;
  return new ServiceError('Conflict', `the plan is outdated: ${error.message}; plan again`, error.details);
}
