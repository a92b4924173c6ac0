import type { IncomingMessage } from 'node:http';
import { isEvent } from '../../events/names.js';
import type { Resource } from '../../model/resource.js';
import { RateBudget } from '../../lib/work/rate-budget.js';

const WRITES: readonly (string | undefined)[] = ['POST', 'PUT', 'PATCH'];
/** Limits the memory of names. */
const PROGRAM_LENGTH_MAX = 100;

/**
 * Limits the events that one recorder writes: ten thousand at once, then ten a second. Without it, a controller that fails
 * for all objects would fill the change log. Recorders of Kubernetes wait for the time in the answer, and drop events when
 * too many wait; their controllers do not wait.
 */
export class EventBudget {
  readonly #writes = new RateBudget({ usesMax: 10_000, refillMs: 100 });

  /** @param getSender the user of a request, or its address */
  constructor(private readonly getSender: (req: IncomingMessage) => string) {}

  /**
   * Counts a request that writes an event; any other costs nothing.
   * @throws ServiceError `TooManyRequests`
   */
  check(req: IncomingMessage, resource: Resource): void {
    if (!isEvent(resource) || !WRITES.includes(req.method)) return;
    // Recorders of one user, or of one address, are programs with different names.
    const program = (req.headers['user-agent'] ?? '').slice(0, PROGRAM_LENGTH_MAX);
    const recorder = `${this.getSender(req)} ${program}`;
    this.#writes.take(recorder, 'too many events of this recorder; retry later');
  }
}
