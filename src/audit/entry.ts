import { HTTP_STATUS, formatExcerpt, ServiceError } from '../errors.js';
import type { WriteOrigin } from '../service/write-origin.js';

/** One thing that somebody did, or tried to do. Members without a value are left out of the line. */
export interface AuditEntry extends Omit<WriteOrigin, 'isRecorded'> {
  readonly user?: string | undefined;
  readonly verb: string;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly path?: string | undefined;
  readonly code: number;
  readonly reason?: string | undefined;
  readonly revision?: string | undefined;
}

/** The fields of a line in their order, with their meanings for the documentation. */
export const AUDIT_FIELDS = {
  time: 'when the line was made: RFC 3339, UTC, milliseconds',
  user: 'the user; absent when it is not known, as with `--auth none`',
  groups: 'the groups of the user; only for requests of clients',
  via: '`http`, `mcp`, `plugin`, `controller`, or `service` for the service itself',
  source: 'the network address of the client; absent in process',
  verb: '`create`, `update`, `patch`, `delete`; `signin`; for other requests the verb that a role must allow',
  group: 'the group of the model, empty for `v1`',
  version: 'the version',
  resource: 'the plural name of the model',
  namespace: 'the namespace; absent for a model without namespaces',
  name: 'the name of the object; absent when it is not known',
  subresource: '`status`, or another part below the object',
  path: 'the path, without its query, of a request that is not about a resource',
  code: 'the HTTP status of the response, also in process; 499 when the client left before it',
  reason: 'the [error code](../reference/errors.md) of a failure',
  revision: 'the `resourceVersion` of the stored change; absent when nothing was changed',
} as const satisfies Readonly<Record<'time' | keyof AuditEntry, string>>;

/** Limits texts of clients, in characters. No name of an object is longer. */
const TEXT_LENGTH_MAX = 1_000;

/**
 * The line of an entry, with its end. It is one line for any names, because JSON escapes line breaks.
 * @param time RFC 3339
 */
export function formatLine(entry: AuditEntry, time: string): string {
  const line: Record<keyof typeof AUDIT_FIELDS, unknown> = {
    time,
    user: short(entry.user),
    groups: entry.groups,
    via: entry.via,
    source: entry.source,
    verb: short(entry.verb),
    group: short(entry.group),
    version: short(entry.version),
    resource: short(entry.resource),
    namespace: short(entry.namespace),
    name: short(entry.name),
    subresource: short(entry.subresource),
    path: short(entry.path),
    code: entry.code,
    reason: entry.reason,
    revision: entry.revision,
  };
  return `${JSON.stringify(line)}\n`;
}

function short(text: string | undefined): string | undefined {
  return text === undefined ? undefined : formatExcerpt(text, TEXT_LENGTH_MAX);
}

export function getOutcome(error: unknown): Required<Pick<AuditEntry, 'code' | 'reason'>> {
  const reason = error instanceof ServiceError ? error.code : 'InternalError';
  return { code: HTTP_STATUS[reason], reason };
}
