import type { ModelClass } from '../../model/declare/model-class.js';
import type { ExtensionObject } from '../../model/object.js';
import type { ControllerParts, Watched } from '../controller.js';
import { isReason } from '../matching.js';
import type { ControllerSource, ObjectChange } from '../source.js';

/** A model that a controller follows, and the names to reconcile for its objects. */
export interface FollowedModel {
  readonly model: ModelClass;
  /** False for a model that the controller watches in addition to its own. */
  readonly isOwn: boolean;
  /** The names that a change asks for. Never throws. */
  readonly namesOf: (change: ObjectChange) => readonly string[];
  /** The names of the sync at the start; undefined without one. */
  readonly atStart: (() => AsyncIterable<string>) | undefined;
  /** The names of the sync after a loss of changes. */
  readonly afterLoss: () => AsyncIterable<string>;
}

/** Receives the failure of an author's function for an object. */
export type OnFailure = (name: string, error: unknown) => void;

/** The controller's own model. An object for which a matcher fails is reconciled. */
export function followOwn(
  parts: ControllerParts,
  source: ControllerSource,
  onFailure: OnFailure,
): FollowedModel {
  const { model, matchers, syncAllOnStart, syncAllListOptions } = parts;
  return {
    model,
    isOwn: true,
    namesOf: (change) => {
      try {
        return isReason(change, matchers) ? [change.name] : [];
      } catch (error) {
        onFailure(change.name, error);
        return [change.name];
      }
    },
    atStart: syncAllOnStart ? () => source.names(model, syncAllListOptions) : undefined,
    afterLoss: () => source.names(model, {}),
  };
}

/**
 * Another model. An object for which the author's function fails asks for nothing. After a loss the controller's own objects are
 * synced too: a lost removal cannot be found among the objects that are left.
 */
export function followWatched(
  { model: own, syncAllOnStart }: ControllerParts,
  { model, namesOf }: Watched,
  source: ControllerSource,
  onFailure: OnFailure,
): FollowedModel {
  const namesOfChange = (change: ObjectChange): readonly string[] => {
    try {
      return [...new Set(statesOf(change).flatMap((object) => namesOf(object)))];
    } catch (error) {
      onFailure(change.name, error);
      return [];
    }
  };
  async function* namesOfAll(): AsyncGenerator<string> {
    for await (const change of source.added(model)) yield* namesOfChange(change);
  }
  async function* all(): AsyncGenerator<string> {
    yield* source.names(own, {});
    yield* namesOfAll();
  }
  return {
    model,
    isOwn: false,
    namesOf: namesOfChange,
    atStart: syncAllOnStart ? namesOfAll : undefined,
    afterLoss: all,
  };
}

/** The state before a change counts too: an object may have left one name for another. */
function statesOf(change: ObjectChange): readonly ExtensionObject[] {
  const before = change.type === 'MODIFIED' ? change.previous() : undefined;
  return before === undefined ? [change.object()] : [before, change.object()];
}
