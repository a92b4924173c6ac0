import { conflict, ServiceError } from '../../errors.js';
import type { WrittenChange } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { getSubject } from '../object-errors.js';
import { readRevision } from '../read/history.js';
import { getObjectKey } from '../references/defer-deletion.js';
import type { CommitCheck, MayList, UndoOptions, UndoResult } from '../verbs.js';
import { write } from '../write/write.js';
import { findCommit, presentChange, readChanges, type PastCommitChange } from './commit-changes.js';
import { findConsequences } from './consequences.js';
import { planUndo, type RestorePlan } from './plan.js';

/** Most changes of a commit that can be undone. */
const CHANGES_MAX = 10_000;
/** Most bytes of JSON for the restored objects together. */
const BYTES_MAX = 64 * 1024 * 1024;
const ALL: MayList = () => true;

/**
 * Takes back all changes of the commit of a revision, and what followed from its deletions, in one commit.
 * @throws ServiceError `BadRequest`, `Expired`, `Conflict`, `RequestEntityTooLarge`, and the errors of writes
 */
export async function undoCommit(
  context: ServiceContext,
  revision: string,
  options: UndoOptions,
): Promise<UndoResult> {
  const { force = false, mayList = ALL, check, ...others } = options;
  const plan = await makePlan(context, readRevision(revision), { force, mayList, check });
  const { items } = plan;
  if (items.length === 0) throw conflict(`nothing is left of the commit of revision ${revision}`);
  const admission = checkOthers(plan, { force, mayList, admission: others.admission });
  const { resourceVersion } = await write(context, plan.requests, {
    ...others,
    mayList,
    admission,
    bytesMax: BYTES_MAX,
    locate: (error, position) => atObject(error, plan, position),
  });
  return { resourceVersion, items };
}

async function makePlan(
  context: ServiceContext,
  revision: number,
  options: Parameters<typeof planUndo>[2],
): Promise<RestorePlan> {
  return context.store.withinCurrent(async (current) => {
    const commit = await findCommit(current, revision);
    const count = commit.last - commit.first + 1;
    if (count > CHANGES_MAX) throw tooLarge(count);
    const changes: PastCommitChange[] = [];
    for await (const one of readChanges(current, commit)) changes.push(presentChange(context, current, one));
    if (changes.length < count)
      throw conflict(`the commit of revision ${revision} changed objects of models that were dropped since`);
    changes.push(...(await findConsequences(context, current, changes)));
    if (changes.length > CHANGES_MAX) throw tooLarge(changes.length);
    return await planUndo(current, changes, options);
  });
}

function tooLarge(count: number): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `the commit and its consequences have ${count} changes; at most ${CHANGES_MAX} can be undone together`,
  );
}

function atObject(error: ServiceError, { requests }: RestorePlan, position: number): ServiceError {
  const request = requests[position];
  if (request === undefined) return error;
  const subject = getSubject(request.resource, request.name);
  const message = error.message.includes(request.name) ? error.message : `${subject}: ${error.message}`;
  return new ServiceError(error.code, `nothing was undone: ${message}`, error.details, { cause: error });
}

/** Refuses a commit that would change other objects than planned: those that refer to an object that goes again. */
function checkOthers(
  { requests }: RestorePlan,
  { force, mayList, admission }: { force: boolean; mayList: MayList; admission: CommitCheck | undefined },
): CommitCheck {
  const planned = new Set(requests.map(({ resource, name }) => `${resource.group}/${resource.kind}/${name}`));
  return (tx, changes) => {
    admission?.(tx, changes);
    const others = changes.filter(
      ({ table: { resource }, name }) => !planned.has(`${resource.group}/${resource.kind}/${name}`),
    );
    if (others.length > 0 && !force) throw refusal(others, mayList);
  };
}

function refusal(others: readonly WrittenChange[], mayList: MayList): ServiceError {
  const keys = new Set(others.map(({ table, name }) => getObjectKey(table, name)));
  const named = others.find(({ table }) => mayList(table.resource));
  const example = named === undefined ? '' : `: ${getSubject(named.table.resource, named.name)}`;
  return conflict(
    `nothing was undone: ${keys.size === 1 ? 'one later object refers' : `${keys.size} later objects refer`} to an object that the ` +
      `commit created, and would be changed or deleted with it; use force to do so${example}`,
  );
}
