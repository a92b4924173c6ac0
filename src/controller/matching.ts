import type { Matchers } from './controller.js';
import { isDeleted } from './finalizers.js';
import type { ObjectChange } from './source.js';

/**
 * Whether a change is a reason to reconcile. Declaring an object deleted and removing it are both put to the
 * delete matcher. Where nobody asks, nothing is parsed.
 * @throws whatever a matcher throws; Error when it does not answer true or false
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

/** Matchers are code of others, maybe plain JavaScript. */
function getAnswer(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  // Nobody would wait for it, and a rejection that nobody handles ends the process.
  if (answer instanceof Promise) answer.catch(() => undefined);
  throw new Error(
    `a matcher must return true or false synchronously, got ${answer instanceof Promise ? 'a promise' : typeof answer}`,
  );
}
