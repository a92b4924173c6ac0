import { actionOfUndone } from '../../access/rules.js';
import type { UndoneItem } from '../../service/verbs.js';
import { countFitting } from '../answer/bounds.js';
import { shownModel } from '../names.js';
import { defineTool } from '../tool.js';
import { writesOf } from './writes.js';

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
    const check = (item: UndoneItem): void =>
      caller.rights?.authorize(actionOfUndone(item, caller.rights.mayList));
    const { resourceVersion, items } = await writes.write({}, (all) =>
      writes.service.undoCommit(revision, { ...all, check, force }),
    );
    const shown = items
      .filter(({ resource }) => caller.rights?.mayList(resource) ?? true)
      .map(({ verb, resource, name, isOverwritten }) => ({
        verb,
        model: shownModel(resource),
        name,
        ...(isOverwritten && { isOverwritten }),
      }));
    const count = countFitting(shown);
    return {
      revision: resourceVersion,
      items: shown.slice(0, count),
      ...(count < items.length && { omittedItems: items.length - count }),
    };
  },
});
