import { isRecord } from '../lib/json/json.js';
import { AttemptEnded } from '../lib/work/retry.js';
import { Yielder } from '../lib/work/yield.js';
import { splitFullName } from '../model/full-name.js';
import { isControllerUser, isPluginUser } from '../model/system-users.js';
import type { WriteOptions } from '../service/verbs.js';
import type { RequestedWrite, WriteAudit, WriteRecord } from '../service/write-audit.js';
import type { WriteOrigin } from '../service/write-origin.js';
import type { CommitObserver, CommittedChange } from '../store/commit-observer.js';
import { getOutcome, type AuditEntry } from './entry.js';
import type { LineWriter } from './line-writer.js';

type Options = Pick<WriteOptions, 'dryRun' | 'author' | 'origin'>;
type Result = Pick<AuditEntry, 'namespace' | 'name' | 'code' | 'reason' | 'revision'>;
type Sender = Pick<AuditEntry, 'user' | 'via' | 'source' | 'groups'>;

const CREATED = 201;
const DONE = 200;
/** The verb of an object that a plugin declares. */
const DECLARE = 'declare';
/** Verbs of requests that create, update or delete an object, whichever is needed. */
const BY_EFFECT: ReadonlySet<string> = new Set([DECLARE, 'restore']);

/** Records the writes of objects: each object of a request, and each change that follows from it. */
export class RecordedWrites implements WriteAudit {
  #isStarting = true;

  readonly commits: CommitObserver = {
    admit: () => this.writer.admit(this.#isStarting),
    committed: (changes, user) => this.#addEach(changes, (change) => getEffect(change, user)),
  };

  constructor(
    private readonly writer: LineWriter,
    private readonly add: (entry: AuditEntry) => void,
  ) {}

  /** Must be called when the service has started: from now on, its own writes can be refused too. */
  started(): void {
    this.#isStarting = false;
  }

  begin(
    requests: readonly RequestedWrite[],
    options: Options,
    user: string | undefined,
  ): WriteRecord | undefined {
    const { dryRun, origin } = options;
    if (origin !== undefined) origin.isRecorded = true;
    if (dryRun === true) return undefined;
    const { via, source, groups }: WriteOrigin = origin ?? { via: getVia(user, options.author) };
    const sender = { user, via, source, groups };
    return {
      admit: () => this.writer.admit(origin === undefined && this.#isStarting),
      committed: (changes) => this.#addCommitted(requests, changes, sender),
      failed: async (error) => {
        if (error instanceof AttemptEnded) return;
        const outcome = getOutcome(error);
        await this.#addEach(requests, (request) =>
          getEntry(sender, request, { ...getNames(request), ...outcome }),
        );
      },
    };
  }

  #addCommitted(
    requests: readonly RequestedWrite[],
    changes: readonly CommittedChange[],
    sender: Sender,
  ): Promise<void> {
    const [request, ...others] = requests;
    const [change] = changes;
    // Most writes are of one object, and change it.
    if (request === undefined || change?.item !== 0 || others.length > 0 || changes.length > 1)
      return this.#addEach(getEntries(requests, changes, sender), (entry) => entry);
    this.add(getChangedEntry(sender, request, change));
    return this.writer.written();
  }

  async #addEach<T>(all: Iterable<T>, toEntry: (one: T) => AuditEntry): Promise<void> {
    const yielder = new Yielder();
    for (const one of all) {
      this.add(toEntry(one));
      if (yielder.isDue) {
        this.writer.flush();
        await yielder.take();
      }
    }
    await this.writer.written();
  }
}

/**
 * The entries of a commit: one for each request, and one for each other change. A declared object that was stored already
 * has none: each start of its plugin declares it again.
 */
function* getEntries(
  requests: readonly RequestedWrite[],
  changes: readonly CommittedChange[],
  sender: Sender,
): Generator<AuditEntry> {
  const byItem = new Map(changes.map((change) => [change.item, change]));
  for (const [position, request] of requests.entries()) {
    const change = byItem.get(position);
    if (change !== undefined) yield getChangedEntry(sender, request, change);
    else if (request.verb !== DECLARE) yield getEntry(sender, request, { ...getNames(request), code: DONE });
  }
  for (const change of changes) if (change.item === undefined) yield getEffect(change, sender.user);
}

function getChangedEntry(sender: Sender, request: RequestedWrite, change: CommittedChange): AuditEntry {
  const entry = getEntry(sender, request, getResult(change));
  return BY_EFFECT.has(request.verb) ? { ...entry, verb: change.verb } : entry;
}

function getEntry(sender: Sender, request: RequestedWrite, result: Result): AuditEntry {
  const { user, groups, via, source } = sender;
  const { verb, resource, subresource } = request;
  // Members one by one, because V8 copies whole objects slowly.
  return {
    user,
    groups,
    via,
    source,
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    namespace: result.namespace,
    name: result.name,
    subresource,
    code: result.code,
    reason: result.reason,
    revision: result.revision,
  };
}

/** The name is that of the change, because a request may leave it to the service. */
function getResult({ name: full, verb, revision }: CommittedChange): Result {
  const code = verb === 'create' ? CREATED : DONE;
  const { namespace, name } = splitFullName(full);
  return { namespace, name, code, revision: String(revision) };
}

/** A change without a request, or one that follows from a request. */
function getEffect(change: CommittedChange, user: string | undefined): AuditEntry {
  const { group, version, plural: resource } = change.resource;
  return { user, via: getVia(user), verb: change.verb, group, version, resource, ...getResult(change) };
}

function getVia(user = '', author?: WriteOptions['author']): WriteOrigin['via'] {
  if (isControllerUser(user)) return 'controller';
  return author === 'plugin' || isPluginUser(user) ? 'plugin' : 'service';
}

/** The names of a request. Those in a body were not checked. */
function getNames({ name: fullName, object, resource }: RequestedWrite): Pick<Result, 'namespace' | 'name'> {
  if (fullName !== undefined) return splitFullName(fullName, resource);
  const { namespace, name } = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
  return {
    namespace: typeof namespace === 'string' ? namespace : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}
