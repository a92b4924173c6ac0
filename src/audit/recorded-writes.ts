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
type Subject = Pick<AuditEntry, 'group' | 'version' | 'resource' | 'namespace' | 'name' | 'subresource'>;
type Sender = Pick<AuditEntry, 'user' | 'via' | 'source' | 'groups'>;

const CREATED = 201;
const DONE = 200;

/** Records the writes of objects: each object of a request, and each change that follows from it. */
export class RecordedWrites implements WriteAudit {
  /** Origins of requests whose writes have lines, or need none. */
  readonly #noted = new WeakSet<WriteOrigin>();
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

  /** True when writes of a client's request have lines, or need none. */
  isNoted(origin: WriteOrigin): boolean {
    return this.#noted.has(origin);
  }

  begin(
    requests: readonly RequestedWrite[],
    options: Options,
    user: string | undefined,
  ): WriteRecord | undefined {
    const { dryRun, origin } = options;
    if (origin !== undefined) this.#noted.add(origin);
    if (dryRun === true) return undefined;
    const sender: Sender = { user, ...(origin ?? { via: getVia(user, options.author) }) };
    return {
      admit: () => this.writer.admit(origin === undefined && this.#isStarting),
      committed: (changes) => this.#addEach(getEntries(requests, changes, sender), (entry) => entry),
      failed: async (error) => {
        if (error instanceof AttemptEnded) return;
        const outcome = getOutcome(error);
        await this.#addEach(requests, (request) => ({
          ...sender,
          ...getSubject(request),
          verb: request.verb,
          ...outcome,
        }));
      },
    };
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
    const isDeclared = request.verb === 'declare';
    if (isDeclared && change === undefined) continue;
    const verb = isDeclared && change !== undefined ? change.verb : request.verb;
    yield {
      ...sender,
      ...getSubject(request),
      verb,
      ...(change === undefined ? UNCHANGED : getResult(change)),
    };
  }
  for (const change of changes) if (change.item === undefined) yield getEffect(change, sender.user);
}

const UNCHANGED = { code: DONE };

/** The name is that of the change, because a request may leave it to the service. */
function getResult({
  name: full,
  verb,
  revision,
}: CommittedChange): Pick<AuditEntry, 'namespace' | 'name' | 'code' | 'revision'> {
  const code = verb === 'create' ? CREATED : DONE;
  return { ...splitFullName(full), code, revision: String(revision) };
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

function getSubject({ resource, name, object, subresource }: RequestedWrite): Subject {
  const { group, version, plural } = resource;
  const subject = { group, version, resource: plural, subresource };
  if (name !== undefined) return { ...subject, ...splitFullName(name) };
  const { metadata } = isRecord(object) ? object : {};
  return { ...subject, ...(isRecord(metadata) && getNames(metadata)) };
}

/** The names that a body states, which was not checked. */
function getNames({
  namespace,
  name,
}: Readonly<Record<string, unknown>>): Pick<Subject, 'namespace' | 'name'> {
  return {
    namespace: typeof namespace === 'string' ? namespace : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}
