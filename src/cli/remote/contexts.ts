import path from 'node:path';
import { ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { withFileLock } from './file-lock.js';
import { readPrivate, writePrivate } from './private-file.js';
import { isServerUrl } from './server-url.js';

/** A server with a name, and what is needed to use it. */
export interface ServerContext {
  readonly name: string;
  readonly server: string;
  readonly token?: string;
  readonly namespace?: string;
}

/** The contents of the contexts file. */
export interface SavedContexts {
  /** The name of the current context; undefined when none is. */
  readonly current: string | undefined;
  /** By name, in the order of the file. */
  readonly byName: ReadonlyMap<string, ServerContext>;
}

/** The parts of the process that name the file. */
type FileIo = Pick<CliIo, 'env' | 'cwd'>;

const ROOT_KEYS = ['currentContext', 'contexts'];
const CONTEXT_KEYS = ['name', 'server', 'token', 'namespace'] as const;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@:-]{0,252}$/;
const WHAT = 'file of contexts (XSVC_CONFIG names another one)';

export function isContextName(text: string): boolean {
  return NAME.test(text);
}

/** The file of the contexts: `XSVC_CONFIG`, else `~/.config/xsvc/config.yaml`; undefined when neither is known. */
export function contextsFile({ env, cwd }: FileIo): string | undefined {
  const { XSVC_CONFIG: named, HOME: home = '' } = env;
  if (named !== undefined) return named === '' ? undefined : path.resolve(cwd, named);
  return home === '' ? undefined : path.join(home, '.config', 'xsvc', 'config.yaml');
}

/**
 * Reads the contexts; none without a file.
 * @throws UsageError for a file that others can read, and for an invalid one
 */
export async function readContexts(io: FileIo): Promise<SavedContexts> {
  const file = contextsFile(io);
  const text = file === undefined ? undefined : await readPrivate(file, WHAT);
  return file === undefined || text === undefined
    ? { current: undefined, byName: new Map() }
    : parse(file, text);
}

/** The current context. @throws UsageError as {@link readContexts} */
export async function readCurrentContext(io: FileIo): Promise<ServerContext | undefined> {
  const { current, byName } = await readContexts(io);
  return current === undefined ? undefined : byName.get(current);
}

/**
 * Replaces the contexts file in one step. Other processes that change it wait meanwhile.
 * @param change makes the new contexts from the present ones
 * @returns what `change` has returned
 * @throws UsageError when no file is known; ServiceError `InternalError` when it cannot be written
 */
export async function changeContexts<T extends SavedContexts>(
  io: FileIo,
  change: (contexts: SavedContexts) => T,
): Promise<T> {
  const file = contextsFile(io);
  if (file === undefined) throw new UsageError('there is no file for contexts; set XSVC_CONFIG or HOME');
  const { formatYaml } = await import('../../lib/json/yaml.js');
  return withFileLock(file, async () => {
    const newContexts = change(await readContexts(io));
    const { current, byName } = newContexts;
    const contexts = [...byName.values()];
    const text = formatYaml({ ...(current !== undefined && { currentContext: current }), contexts });
    await writePrivate(file, text);
    return newContexts;
  });
}

/** Returns the error for a value, with its place in the file. */
type Fault = (path: string, message: string) => UsageError;

async function parse(file: string, text: string): Promise<SavedContexts> {
  const { parseYamlAll } = await import('../../lib/json/yaml.js');
  let documents;
  try {
    documents = parseYamlAll(text, { maxAliases: 0, filename: file });
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
  const [document, another] = documents;
  if (document === undefined) return { current: undefined, byName: new Map() };
  if (another !== undefined) throw new UsageError(`${file}:${another.line}: expected one document`);
  const fault: Fault = (at, message) =>
    new UsageError(`${file}:${document.findLine(at) ?? document.line}: ${message}`);
  const root = document.value;
  if (!isRecord(root)) throw fault('', 'expected currentContext and contexts');
  refuseUnknown(root, ROOT_KEYS, '', fault);
  const { contexts = [], currentContext: current } = root;
  if (!Array.isArray(contexts)) throw fault('contexts', 'contexts must be a list');
  const byName = new Map<string, ServerContext>();
  for (const [i, value] of contexts.entries()) {
    const context = parseContext(value, `contexts[${i}]`, fault);
    if (byName.has(context.name)) throw fault(`contexts[${i}].name`, `a second context "${context.name}"`);
    byName.set(context.name, context);
  }
  if (current === undefined) return { current, byName };
  if (typeof current === 'string' && byName.has(current)) return { current, byName };
  throw fault('currentContext', `currentContext is not one of the contexts of this file`);
}

function parseContext(value: unknown, at: string, fault: Fault): ServerContext {
  if (!isRecord(value)) throw fault(at, 'a context must have a name and a server');
  refuseUnknown(value, CONTEXT_KEYS, `${at}.`, fault);
  for (const key of CONTEXT_KEYS) {
    const { [key]: text } = value;
    if (text !== undefined && (typeof text !== 'string' || text === ''))
      throw fault(`${at}.${key}`, `${key} must be a text`);
  }
  const { name, server, token, namespace } = value;
  if (typeof name !== 'string') throw fault(at, 'a context needs a name');
  if (!isContextName(name))
    throw fault(`${at}.name`, 'name may have letters, digits, "-", "_", ".", "@" and ":"');
  if (typeof server !== 'string') throw fault(at, `the context "${name}" needs a server`);
  if (!isServerUrl(server))
    throw fault(`${at}.server`, 'server must be the URL of a server, like http://127.0.0.1:8090');
  return {
    name,
    server,
    ...(typeof token === 'string' && { token }),
    ...(typeof namespace === 'string' && { namespace }),
  };
}

/** A field of another program version would be lost when the file is written. */
function refuseUnknown(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  prefix: string,
  fault: Fault,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) throw fault(`${prefix}${key}`, `unknown field; known are ${known.join(', ')}`);
}
