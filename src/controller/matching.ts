import type { Matchers } from './controller.js';
import { isDeleted } from './finalizers.js';
import type { ObjectChange } from './source.js';

/**
 * True when a change causes a reconcile. The delete matcher gets both the declaration of a deletion and the removal. Without a
 * matcher nothing is parsed.
 * @throws any error of a matcher; Error when it does not return true or false
 */
export function isReason(change: ObjectChange, { onAdd, onUpdate, onDelete }: Matchers): boolean {
  switch (change.type) {
    case 'ADDED':
      return onAdd === undefined || getAnswer(onAdd(change.object()));
    case 'DELETED':
      return onDelete === undefined || getAnswer(onDelete(change.object()));
    case 'MODIFIED': {
      if (onUpdate === undefined && onDelete === undefined) return true;
      const old = change.previous();
      if (old === undefined) return true;
      const object = change.object();
      if (isDeleted(object) && !isDeleted(old)) return onDelete === undefined || getAnswer(onDelete(object));
      return onUpdate === undefined || getAnswer(onUpdate(object, old));
    }
  }
}

/** Checks the result of a matcher: matchers are foreign code, possibly plain JavaScript. */
function getAnswer(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  // No one awaits the promise, and an unhandled rejection ends the process.
  if (answer instanceof Promise) answer.catch(() => undefined);
  throw new Error(
    `a matcher must return true or false synchronously, got ${answer instanceof Promise ? 'a promise' : typeof answer}`,
  );
}
