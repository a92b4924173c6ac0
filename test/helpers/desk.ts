import { putFiles } from './cli.js';

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: desk
spec:
  version: 1.0.0
`;

/** A plugin with tickets. All parts are JavaScript. */
export interface DeskOptions {
  /** Schema of `spec` of the storage version. */
  readonly spec?: object;
  /** Default: v1. */
  readonly version?: string;
  /** Declares indexes, given `specs`. */
  readonly indexes?: string;
  /** The third argument of `register`; `OldTicket` is the class of `v1alpha1`. */
  readonly options?: string;
  /** Schema of `spec` of `OldTicket`. */
  readonly oldSpec?: object;
}

const text = { type: 'string' };
/** Tickets as they were first: with a subject. */
export const FIRST = {
  type: 'object',
  required: ['subject'],
  properties: { subject: text, channel: text, count: { type: 'integer' } },
};
/** The subject is a title now. */
export const SECOND = {
  type: 'object',
  required: ['title'],
  properties: { title: text, channel: { ...text, enum: ['mail', 'phone'] }, count: { type: 'integer' } },
};
/** v1 with v1alpha1 beside it. */
export const RENAMED = {
  spec: SECOND,
  options: `{ versions: [{ model: OldTicket,
    up: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }),
    down: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }) }] }`,
} satisfies DeskOptions;
/** The plugin before {@link RENAMED}. */
export const BEFORE: DeskOptions = { spec: FIRST, version: 'v1alpha1' };

/** Writes the plugin into `plugins/desk` of a directory, in the place of what is there. */
export function putDesk(cwd: string, given: DeskOptions = {}): Promise<void> {
  const { spec = FIRST, oldSpec = FIRST, version = 'v1', indexes = '', options = 'undefined' } = given;
  const main = `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
const NAMES = { group: 'desk.example.com', kind: 'Ticket', plural: 'tickets', singular: 'ticket' };
const schemaOf = (spec) => ({ type: 'object', properties: { spec, status: { type: 'object' } } });
class OldTicket extends AbstractExtension { static schema = schemaOf(${JSON.stringify(oldSpec)}); }
GVK({ ...NAMES, version: 'v1alpha1' })(OldTicket);
class Ticket extends AbstractExtension { static schema = schemaOf(${JSON.stringify(spec)}); }
GVK({ ...NAMES, version: '${version}' })(Ticket);
export default class Desk extends BasePlugin {
  start() { this.ctx.schemeManager.register(Ticket, (specs) => { ${indexes} }, ${options}); }
}
`;
  return putFiles(cwd, { 'plugins/desk/plugin.yaml': MANIFEST, 'plugins/desk/index.js': main });
}

/** A manifest with tickets `t-0`, `t-1` and so on. */
export function tickets(count: number, spec: (i: number) => object, version = 'v1alpha1'): string {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      apiVersion: `desk.example.com/${version}`,
      kind: 'Ticket',
      metadata: { name: `t-${i}` },
      spec: spec(i),
    }),
  ).join('\n');
}
