import { actionOn } from '../../access/rules.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { CommitCheck, WriteOptions } from '../../service/verbs.js';
import { countFitting } from '../answer/bounds.js';
import { shownModel } from '../names.js';
import { defineTool } from '../tool.js';
import { readEffects, verbOf } from './effects.js';
import { writesOf } from './writes.js';

/** An object that an undone commit had changed, and what was done to it. */
interface UndoneObject {
  readonly verb: string;
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
}

/** The service's method that takes a whole commit back. */
export interface CommitUndo {
  undoCommit(
    revision: string,
    options: WriteOptions & { readonly force?: boolean },
  ): Promise<{ readonly resourceVersion: string; readonly items: readonly UndoneObject[] }>;
}

/** True when the service can take commits back. */
export function canUndo(service: Service): service is Service & CommitUndo {
  return 'undoCommit' in service && typeof service.undoCommit === 'function';
}

export const UNDO_TOOL = defineTool({
  name: 'undo',
  title: 'Undo a commit',
  description:
    'Takes back all that one commit did, in a new commit: created objects are deleted, deleted ones come again, changed ones get their earlier content. Refused when objects have changed since, unless `force`.',
  parameters: {
    revision: {
      type: 'revision',
      about: 'Any revision of the commit, from `apply` or `history`. Example: "1042"',
    },
    force: {
      type: 'flag',
      about: 'Also overwrites later changes of the same objects. Default false. Example: true',
      isOptional: true,
    },
  },
  isReadOnly: false,
  isDestructive: true,
  isIdempotent: false,
  run: async ({ revision, force = false }, caller) => {
    const writes = writesOf(caller);
    const { service } = writes;
    if (!canUndo(service)) throw new Error('the service cannot undo commits');
    const { resourceVersion, items } = await writes.write({ via: 'mcp' }, (all) => {
      const admission: CommitCheck = (tx, changes) => {
        for (const effect of readEffects(changes)) {
          const verb = verbOf(effect);
          const name = verb === 'create' ? undefined : effect.name;
          caller.rights?.authorize(actionOn(verb, effect.resource, name));
        }
        all.admission?.(tx, changes);
      };
      return service.undoCommit(revision, { ...all, admission, force });
    });
    const shown = items
      .filter(({ resource }) => caller.rights?.mayList(resource) ?? true)
      .map(({ verb, resource, name }) => ({ verb, model: shownModel(resource), name }));
    const count = countFitting(shown);
    return {
      revision: resourceVersion,
      items: shown.slice(0, count),
      ...(count < items.length && { omittedItems: items.length - count }),
    };
  },
});
