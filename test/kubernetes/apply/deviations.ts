import { deepEqual, isRecord } from '../../../src/lib/json/json.js';
import type { Answer, AskedStep, Replayed } from './replay.js';

/** The answers of a kube-apiserver and of this service to one request. */
interface Pair {
  readonly theirs: Answer;
  readonly own: Answer;
}

/** A difference that is on purpose. */
export interface Deviation {
  /** The behaviour of this service. */
  readonly own: string;
  /** The behaviour of Kubernetes. */
  readonly theirs: string;
  readonly reason: string;
  /** True for members that an answer has beside those of Kubernetes. */
  readonly isAddition?: true;
  /** The answers without this difference; they are the same objects when they do not differ in it. */
  readonly leveled: (pair: Pair, replayed: Replayed) => Pair;
}

const SAME = { status: 0, body: 'leveled' };

/** A deviation that explains whole answers. */
function wholly(
  texts: Omit<Deviation, 'leveled'>,
  isSeen: (pair: Pair, replayed: Replayed) => boolean,
): Deviation {
  return {
    ...texts,
    leveled: (pair, replayed) => (isSeen(pair, replayed) ? { theirs: SAME, own: SAME } : pair),
  };
}

const messageOf = ({ body }: Answer): string =>
  isRecord(body) && typeof body.message === 'string' ? body.message : '';
const reasonOf = ({ body }: Answer): unknown => (isRecord(body) ? body.reason : undefined);
const isDone = ({ status }: Answer): boolean => status < 300;

/** The parts of a refusal that programs read: its causes are in any order, each field once. */
function verdictOf(answer: Answer) {
  const { body } = answer;
  const details = isRecord(body) ? body.details : undefined;
  const causes = isRecord(details) && Array.isArray(details.causes) ? details.causes : [];
  const isConflict = messageOf(answer).startsWith('Apply failed with');
  const fields = causes
    .filter(isRecord)
    .filter(({ field }) => field !== '<nil>')
    .map(({ field, message }) =>
      isConflict ? `${String(field)}: ${String(message)}` : String(field).replace(/^\./, ''),
    );
  return {
    status: answer.status,
    body: {
      reason: reasonOf(answer),
      causes: [...new Set(fields)].sort(),
      ...(isConflict && { message: messageOf(answer) }),
    },
  };
}

/** Causes are compared where Kubernetes has some. */
function verdictsOf({ theirs, own }: Pair): Pair {
  const [expected, actual] = [verdictOf(theirs), verdictOf(own)];
  const hasCauses = expected.body.causes.length > 0;
  return {
    theirs: expected,
    own: hasCauses ? actual : { ...actual, body: { ...actual.body, causes: [] } },
  };
}

function withBody(answer: Answer, change: (body: Record<string, unknown>) => void): Answer {
  const body = structuredClone(answer.body);
  if (!isRecord(body)) return answer;
  change(body);
  return { status: answer.status, body };
}

const metadataOf = (body: unknown): Record<string, unknown> =>
  isRecord(body) && isRecord(body.metadata) ? body.metadata : {};

const isApply = ({ request }: AskedStep): boolean => request.type === 'application/apply-patch+yaml';

const hasNull = ({ body }: Answer): boolean => JSON.stringify({ body }).includes(':null');

const generationOf = ({ body }: Answer): unknown => metadataOf(body).generation;
const isDeployment = ({ body }: Answer): boolean => isRecord(body) && body.kind === 'Deployment';
const withoutGeneration = (answer: Answer): Answer =>
  withBody(answer, (body) => delete metadataOf(body).generation);

function hasManagerTwice({ body }: Answer): boolean {
  const { managedFields } = metadataOf(body);
  const entries = Array.isArray(managedFields) ? managedFields.filter(isRecord) : [];
  const names = entries.map(({ manager, operation, apiVersion, subresource }) =>
    JSON.stringify([manager, operation, apiVersion, subresource]),
  );
  return new Set(names).size < names.length;
}

/** The number in a name of a resource version, by which they are ordered. */
const revisionOf = ({ body }: Answer): number => Number(String(metadataOf(body).resourceVersion).slice(2));

/** The differences on purpose. Each step of the records must be equal but for them. */
export const DEVIATIONS: readonly Deviation[] = [
  {
    own: '`metadata.updateTimestamp` in objects',
    theirs: 'no such field',
    reason: 'the console and the client show when an object was changed last',
    isAddition: true,
    leveled: ({ theirs, own }) => ({
      theirs,
      own:
        metadataOf(own.body).updateTimestamp === undefined
          ? own
          : withBody(own, (body) => delete metadataOf(body).updateTimestamp),
    }),
  },
  {
    own: '`metadata.generation` in objects of all kinds',
    theirs: 'only in those of some kinds',
    reason: 'each object of the service has it',
    isAddition: true,
    leveled: ({ theirs, own }) => {
      const isOurs = generationOf(own) !== undefined && generationOf(theirs) === undefined;
      return { theirs, own: isOurs && isDone(theirs) ? withoutGeneration(own) : own };
    },
  },
  {
    own: 'the `generation` of a Deployment does not count changes of annotations',
    theirs: 'it does, unlike that of other kinds',
    reason: 'the spec is the same',
    leveled: ({ theirs, own }) =>
      isDone(theirs) && isDone(own) && generationOf(theirs) !== generationOf(own) && isDeployment(own)
        ? { theirs: withoutGeneration(theirs), own: withoutGeneration(own) }
        : { theirs, own },
  },
  {
    own: 'a `Scale` of no replicas has `replicas: 0`',
    theirs: 'no field',
    reason: 'clients that are not in Go need no special case',
    leveled: ({ theirs, own }) => {
      const scaled = isRecord(own.body) && own.body.kind === 'Scale' ? own.body.spec : undefined;
      const isZero = isRecord(scaled) && scaled.replicas === 0;
      return { theirs, own: isZero ? withBody(own, (body) => (body.spec = {})) : own };
    },
  },
  wholly(
    {
      own: 'a delete answers with the object that was deleted',
      theirs: 'with a `Status` for most kinds',
      reason: 'clients accept both, and the object says what is gone',
    },
    ({ theirs, own }, { step }) => step.request.method === 'DELETE' && isDone(theirs) && isDone(own),
  ),
  wholly(
    {
      own: 'an apply with fields of a wrong type, unknown fields, or an item that is there twice is 400',
      theirs: '500',
      reason: 'the request is wrong, not the server',
    },
    ({ theirs, own }) =>
      theirs.status === 500 &&
      [400, 422].includes(own.status) &&
      /typed patch object|error decoding from json/.test(messageOf(theirs)),
  ),
  wholly(
    {
      own: 'an apply to the scale of a custom object works',
      theirs: '500: `request to convert CR to an invalid group/version: autoscaling/v1`',
      reason: 'an error of Kubernetes',
    },
    ({ theirs }) => /convert CR to an invalid group\/version: autoscaling/.test(messageOf(theirs)),
  ),
  wholly(
    {
      own: 'an apply with the `uid` of another object is 409',
      theirs: '422, since a `uid` cannot change',
      reason: 'it is about another object, as for other writes',
    },
    ({ theirs, own }) => own.status === 409 && /metadata\.uid: Invalid value/.test(messageOf(theirs)),
  ),
  wholly(
    {
      own: 'an apply with a `resourceVersion` for an object that is not there is 409',
      theirs: 'creates the object',
      reason: 'the sender has read an object, which is gone',
    },
    ({ theirs, own }) =>
      theirs.status === 201 && /but the apply has a metadata\.resource/.test(messageOf(own)),
  ),
  wholly(
    {
      own: 'a custom object may be written without a `resourceVersion`, and `0` is one that does not fit (409)',
      theirs: '422',
      reason: 'kinds of Kubernetes may be, too',
    },
    ({ theirs, own }) =>
      /resourceVersion: Invalid value: 0: must be specified/.test(messageOf(theirs)) &&
      (isDone(own) || own.status === 409),
  ),
  wholly(
    {
      own: 'the name of an apply may be only in its path',
      theirs: '400',
      reason: 'nothing else can be meant',
    },
    ({ theirs, own }) => own.status === 201 && /name must be provided/.test(messageOf(theirs)),
  ),
  wholly(
    {
      own: 'an apply leaves no null that is no value: neither a stated one, nor a map whose last field it removes',
      theirs: '422, or the null stays where any field is allowed',
      reason: 'a null is as no field in other writes, too',
    },
    ({ theirs, own }, { step }) =>
      isDone(own) &&
      isApply(step) &&
      (/Invalid value: "null"/.test(messageOf(theirs)) || hasNull(theirs) !== hasNull(own)),
  ),
  wholly(
    {
      own: '`force` of an apply is `true` or `false`, else 400',
      theirs: 'any text is true',
      reason: 'an error of the sender is found',
    },
    ({ own }, { step }) => own.status === 400 && step.request.query?.force === 'x',
  ),
  wholly(
    {
      own: '`managedFields` that are no list change nothing',
      theirs: '422',
      reason: 'entries that cannot be read change nothing',
    },
    ({ theirs, own }) => isDone(own) && /managedFields\\":\\"x/.test(messageOf(theirs)),
  ),
  {
    own: 'an update that changes nothing stores nothing',
    theirs:
      'stores it when bytes differ in an order or an empty list, and when managers do not fit a new schema',
    reason: 'nothing has changed; the next change makes the managers fit',
    leveled: (pair, { step }) => {
      const without = (answer: Answer): Answer =>
        withBody(answer, (body) => {
          delete metadataOf(body).resourceVersion;
          delete metadataOf(body).managedFields;
        });
      const isSeen = isDone(pair.theirs) && !isApply(step) && revisionOf(pair.theirs) > revisionOf(pair.own);
      return isSeen ? { theirs: without(pair.theirs), own: without(pair.own) } : pair;
    },
  },
  wholly(
    {
      own: 'a write of the scale leaves a manager that updates with one entry',
      theirs: 'with two of the same name, of which the next write drops one',
      reason: 'an error of Kubernetes',
    },
    ({ theirs, own }) => isDone(own) && hasManagerTwice(theirs),
  ),
  wholly(
    {
      own: 'nulls in lists of a merge patch stay',
      theirs: 'they are removed',
      reason: 'RFC 7386 says so',
    },
    ({ theirs, own }, { step }) =>
      isDone(theirs) && isDone(own) && JSON.stringify({ body: step.request.body }).includes('[{"k":null'),
  ),
  {
    own: 'its sentences, other `details` than causes, and causes where Kubernetes has none',
    theirs: 'other sentences',
    reason: 'sentences say what is wrong and what to do; programs read the status, the reason and the causes',
    leveled: (pair) =>
      pair.theirs.status >= 400 && pair.theirs.status === pair.own.status ? verdictsOf(pair) : pair,
  },
];

/** How an answer of this service compares. */
export interface Comparison {
  readonly theirs: Answer;
  readonly own: Answer;
  readonly isEqual: boolean;
  /** The deviations that the answer shows. */
  readonly seen: readonly Deviation[];
}

export function compareAnswers(replayed: Replayed): Comparison {
  let pair: Pair = { theirs: replayed.step.answer, own: replayed.own };
  const seen: Deviation[] = [];
  for (const deviation of DEVIATIONS) {
    if (deepEqual(pair.theirs, pair.own)) break;
    const next = deviation.leveled(pair, replayed);
    if (next.own !== pair.own || next.theirs !== pair.theirs) seen.push(deviation);
    pair = next;
  }
  return { ...pair, isEqual: deepEqual(pair.theirs, pair.own), seen };
}
