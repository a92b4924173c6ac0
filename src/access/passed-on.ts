import { ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { PassedOn } from '../model/declare/scheme.js';
import type { Resource } from '../model/resource.js';
import { parseObject } from '../store/object-record.js';
import type { WrittenChange } from '../store/transaction.js';
import type { Writer } from './escalation-check.js';
import { actionOn, describeAction, isAllowed } from './rules.js';

/** A written object that passes changes of other objects on. */
export interface PassingWrite {
  readonly resource: Resource;
  readonly object: ExtensionObject;
  readonly passedOn: PassedOn;
}

/** The changes of a commit that decide which changes are passed on. Those of metadata and status alone do not. */
export function writesPassingOn(changes: readonly WrittenChange[]): readonly PassingWrite[] {
  return changes.flatMap(({ table: { scheme, resource }, old, next }) => {
    const passedOn = scheme?.passedOn;
    if (passedOn === undefined || next === undefined) return [];
    const object = parseObject(next.json);
    const before = old && parseObject(old.bytes);
    const { uid, generation } = object.metadata;
    const isSame = before?.metadata.uid === uid && before.metadata.generation === generation;
    return isSame ? [] : { resource, object, passedOn };
  });
}

/**
 * Refuses objects that pass on what their writer may not watch.
 * @throws ServiceError `Forbidden`
 */
export function refuseUnwatchable({ user, rules }: Writer, writes: readonly PassingWrite[]): void {
  for (const { resource, object, passedOn } of writes) {
    const { name } = object.metadata;
    const missing = passedOn(object)
      .map((model) => actionOn('watch', model))
      .find((action) => !isAllowed(rules, action));
    if (missing === undefined) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${user}" may not write ${resource.plural} "${name}": it passes on changes, and the user may not ${describeAction(missing)}`,
      { group: resource.group, kind: resource.kind, name },
    );
  }
}
