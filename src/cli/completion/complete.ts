import type { Command, Option } from 'commander';
import type { Resource } from '../../model/resource.js';
import { inOneVersion, resolveResource } from '../../model/resolve-resource.js';
import type { Verbs } from '../../service/verbs.js';
import { isNamespaceModel } from '../input/definitions.js';
import type { CliIo } from '../io.js';
import { findScope, listedIn, type Scope, type ScopeFlags } from '../remote/namespaces.js';
import { openForReading, withVerbs } from '../session.js';

/** A completion of a word. */
export interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/** Limits of completed object names and of the time for them: a person waits at the keyboard. */
const NAMES_MAX = 200;
const NAMES_PART = 1000;
const NAMES_MS_MAX = 500;

/** Commands that take several resources, separated by commas. */
const SEVERAL: ReadonlySet<string> = new Set(['get', 'list']);

/** The meaning of the words before the last one. */
interface Line {
  readonly command: Command;
  readonly positionals: readonly string[];
  /** The option that expects its value next. */
  readonly awaiting: Option | undefined;
  readonly flags: ScopeFlags;
}

/**
 * Completes the last word of a command line: commands, options, their choices, names of resources and objects. Empty when nothing
 * is known, or when the store or the server does not answer.
 * @param program with the commands that the words name
 */
export async function complete(
  program: Command,
  words: readonly string[],
  io: CliIo,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  const line = readLine(program, words.slice(0, -1));
  const candidates = await candidatesFor(line, current, io);
  return candidates.filter(({ text }) => text.startsWith(current));
}

async function candidatesFor(line: Line, current: string, io: CliIo): Promise<readonly Candidate[]> {
  const { command, positionals, awaiting } = line;
  if (awaiting !== undefined) return valueCandidates(awaiting, line, current, io);
  if (current.startsWith('-')) return optionCandidates(line, current, io);
  const isParent = command.commands.length > 0;
  if (isParent && positionals.length === 0)
    return visible(command).map((sub) => ({
      text: sub.name(),
      description: sub.summary() || sub.description(),
    }));
  const at = Math.min(positionals.length, command.registeredArguments.length - 1);
  const argument = command.registeredArguments[at];
  if (argument === undefined || (positionals.length > at && !argument.variadic)) return [];
  if (argument.argChoices !== undefined) return getTexts(argument.argChoices);
  if (/^(resource|plural)s?$/.test(argument.name())) {
    // `persons,no` continues with a further resource.
    const before = SEVERAL.has(command.name()) ? current.slice(0, current.lastIndexOf(',') + 1) : '';
    const last = current.slice(before.length);
    const found = await withModels(line, io, (models) => resourceCandidates(models, last));
    return found.map((candidate) => ({ ...candidate, text: `${before}${candidate.text}` }));
  }
  const resource = findResource(line);
  if (resource === undefined || !/^names?$/.test(argument.name())) return [];
  return withModels(line, io, (models) => nameCandidates(models, resource, line, current));
}

/** The resource of the command's names; undefined when it is unknown. */
function findResource({ command, positionals }: Line): string | undefined {
  if (command.parent?.name() === 'plugin') return 'plugins.plugin.platform.run';
  return command.registeredArguments[0]?.name() === 'resource' ? positionals[0] : undefined;
}

function readLine(program: Command, words: readonly string[]): Line {
  let command = program;
  let awaiting: Option | undefined;
  let isOnlyNames = false;
  const positionals: string[] = [];
  const values = new Map<string, string[]>();
  const keep = (option: Option, value: string): void => {
    const name = option.attributeName();
    values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (const word of words) {
    if (awaiting !== undefined) {
      keep(awaiting, word);
      awaiting = undefined;
    } else if (word === '--') {
      isOnlyNames = true;
    } else if (word.startsWith('-') && !isOnlyNames) {
      const [flag = '', ...rest] = word.split('=');
      const option = getOptions(command).find(({ long, short }) => long === flag || short === flag);
      if (option !== undefined && rest.length > 0) keep(option, rest.join('='));
      else if (option?.required === true) awaiting = option;
    } else {
      const below = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
      if (below !== undefined && positionals.length === 0) command = below;
      else positionals.push(word);
    }
  }
  return { command, positionals, awaiting, flags: getFlags(values) };
}

/** The flags that select the store or server, and the namespace. */
function getFlags(values: ReadonlyMap<string, readonly string[]>): ScopeFlags {
  const one = (name: keyof ScopeFlags): Record<string, string> => {
    const value = values.get(name)?.at(-1);
    return value === undefined ? {} : { [name]: value };
  };
  const plugins = values.get('plugins');
  return {
    ...one('server'),
    ...one('token'),
    ...one('dataDir'),
    ...one('config'),
    ...one('namespace'),
    ...(plugins === undefined ? {} : { plugins }),
  };
}

/** The options of the command and of all its parents. */
function getOptions(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : getOptions(command.parent);
  return [...command.options, ...above];
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

async function optionCandidates(line: Line, current: string, io: CliIo): Promise<readonly Candidate[]> {
  const options = getOptions(line.command).filter(({ hidden }) => !hidden);
  const equals = current.indexOf('=');
  if (equals >= 0) {
    const flag = current.slice(0, equals);
    const option = options.find(({ long }) => long === flag);
    if (option === undefined) return [];
    const values = await valueCandidates(option, line, current.slice(equals + 1), io);
    return values.map(({ text }) => ({ text: `${flag}=${text}` }));
  }
  const known = options.flatMap(({ long, description }) =>
    long === undefined ? [] : [{ text: long, description }],
  );
  return [...known, { text: '--help', description: 'display help for command' }];
}

/** The choices of an option, or the namespaces. */
async function valueCandidates(
  option: Option,
  line: Line,
  beginning: string,
  io: CliIo,
): Promise<readonly Candidate[]> {
  if (option.attributeName() !== 'namespace') return getTexts(option.argChoices);
  return withModels(line, io, async ({ verbs, resources, scope }) => {
    const namespaces = resources.find(isNamespaceModel);
    return namespaces === undefined ? [] : getTexts(await getNames(verbs, namespaces, scope, beginning));
  });
}

function getTexts(texts: readonly string[] | undefined): readonly Candidate[] {
  return (texts ?? []).map((text) => ({ text }));
}

/** Reads from the store or the server; any error gives no candidates. */
async function withModels(
  { flags }: Line,
  io: CliIo,
  ask: (models: Models) => readonly Candidate[] | Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  try {
    return await withVerbs(openForReading(flags, io), async (verbs) =>
      ask({ verbs, resources: inOneVersion(await verbs.resources()), scope: await findScope(flags, io) }),
    );
  } catch {
    return [];
  }
}

interface Models {
  readonly verbs: Verbs;
  readonly resources: readonly Resource[];
  readonly scope: Scope;
}

/** Resources by their plural, with the group when several share it; `<resource>/<name>` after a slash. */
async function resourceCandidates(
  { verbs, resources, scope }: Models,
  current: string,
): Promise<readonly Candidate[]> {
  const slash = current.indexOf('/');
  if (slash >= 0) {
    const head = current.slice(0, slash);
    const names = await getNames(verbs, resolveResource(resources, head), scope, current.slice(slash + 1));
    return names.map((name) => ({ text: `${head}/${name}` }));
  }
  return resources.map((resource) => {
    const { plural, group, kind, version } = resource;
    const isShared = resources.some((other) => other !== resource && other.plural === plural);
    return { text: isShared ? `${plural}.${group}` : plural, description: `${kind} of ${group}/${version}` };
  });
}

async function nameCandidates(
  models: Models,
  resource: string,
  { positionals }: Line,
  current: string,
): Promise<readonly Candidate[]> {
  if (resource.includes('/')) return resourceCandidates(models, current);
  const { verbs, resources, scope } = models;
  const names = await getNames(verbs, resolveResource(resources, resource), scope, current);
  return names.filter((name) => !positionals.includes(name)).map((text) => ({ text }));
}

/** Names with a prefix, as far as they are found in time. */
async function getNames(
  verbs: Verbs,
  resource: Resource,
  scope: Scope,
  beginning: string,
): Promise<readonly string[]> {
  const end = performance.now() + NAMES_MS_MAX;
  const names: string[] = [];
  let token: string | undefined;
  do {
    const part = await verbs.list(resource, {
      ...listedIn(scope, resource),
      limit: NAMES_PART,
      ...(token === undefined ? {} : { continue: token }),
    });
    for (const { metadata } of part.items) if (metadata.name.startsWith(beginning)) names.push(metadata.name);
    token = part.metadata.continue;
  } while (token !== undefined && names.length < NAMES_MAX && performance.now() < end);
  return names;
}
