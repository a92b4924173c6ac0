import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Option, type Command } from 'commander';
import { badRequest, getMessage } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { parseYaml } from '../../../lib/json/yaml.js';
import type { PatchType, Subresource, Verbs, WriteOptions } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { getSubject, WritePrinter, writeOutputFlag, type WriteOutputFlags } from '../../output/written.js';
import { Failures, printWarnings } from '../../results.js';
import { openForChanging, withVerbs, type GlobalFlags } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { examples, validateFlag, VALIDATIONS, type CommandContext, type Validation } from '../shared.js';

interface Flags extends GlobalFlags, WriteOutputFlags {
  readonly type: PatchType;
  readonly patch?: string;
  readonly patchFile?: string;
  readonly subresource?: Subresource;
  readonly validate: Validation;
}

interface Patch {
  readonly type: PatchType;
  readonly value: unknown;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<resource>', 'plural, singular, kind or short name')
    .argument('[names...]', 'names of objects')
    .addOption(
      new Option('--type <type>', 'merge: JSON Merge Patch (RFC 7396); json: JSON Patch (RFC 6902)')
        .choices(['merge', 'json'])
        .default('merge'),
    )
    .option('-p, --patch <patch>', 'the patch, as JSON or YAML')
    .option('--patch-file <file>', 'file with the patch, - for standard input')
    .addOption(subresourceFlag())
    .option('--dry-run', 'preview the changes without storing them')
    .addOption(validateFlag())
    .addOption(writeOutputFlag())
    .action(async (resource: string, names: readonly string[], _flags: unknown, self: Command) => {
      context.exitCode = await patch([resource, ...names], self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    `xsvc patch persons ada -p '{"spec": {"age": 31}}'`,
    `xsvc patch persons ada -p 'spec: { email: null }' -o yaml`,
    `xsvc patch persons ada --type json -p '[{"op": "add", "path": "/spec/tags/-", "value": "new"}]'`,
    `xsvc patch persons ada --subresource status -p '{"status": {"phase": "Ready"}}'`,
  ]);
}

/** `--subresource`. */
export function subresourceFlag(): Option {
  return new Option('--subresource <name>', 'write only this part of the object').choices(['status']);
}

async function patch(args: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  const change = await readPatch(flags, io);
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args);
    if (names.length === 0) throw new UsageError('patch needs the name of an object');
    const failures = new Failures(io, flags.verbose === true);
    const printer = await WritePrinter.open(io, flags);
    for (const target of names) {
      try {
        await patchOne(verbs, target, change, flags, { io, printer });
      } catch (error) {
        await failures.add(error);
      }
    }
    return failures.exitCode;
  });
}

async function patchOne(
  verbs: Verbs,
  { resource, name }: Target,
  { type, value }: Patch,
  flags: Flags,
  { io, printer }: { readonly io: CliIo; readonly printer: WritePrinter },
): Promise<void> {
  const options: WriteOptions = {
    fieldValidation: VALIDATIONS[flags.validate],
    dryRun: flags.dryRun === true,
  };
  // A server's answer does not state if anything changed; the revision before the write does.
  const before = await verbs.get(resource, name);
  const { object, warnings } = await verbs.patch(resource, name, value, type, options, flags.subresource);
  const changed = object.metadata.resourceVersion !== before.metadata.resourceVersion;
  await printer.print(
    resource,
    object,
    changed ? 'patched' : 'patched (no change)',
    changed ? 'attention' : 'faint',
  );
  printWarnings(io, getSubject(resource, name), warnings);
}

/** @throws UsageError for none, two, or one of the wrong shape; ServiceError `BadRequest` for a malformed one */
async function readPatch({ patch: given, patchFile, type }: Flags, io: CliIo): Promise<Patch> {
  if ((given === undefined) === (patchFile === undefined))
    throw new UsageError('patch needs either -p with a patch or --patch-file with a file');
  const filename = patchFile ?? '-p';
  const text = given ?? (await readPatchFile(patchFile ?? '-', io));
  const value = parseYaml(text, { filename, maxAliases: 1000 });
  if (type === 'json' && !Array.isArray(value))
    throw badRequest(`${filename}: a patch of --type json must be a list of operations`);
  if (type === 'merge' && !isRecord(value))
    throw badRequest(`${filename}: a patch of --type merge must be an object`);
  return { type, value };
}

async function readPatchFile(file: string, io: CliIo): Promise<string> {
  if (file === '-') {
    const parts: Buffer[] = [];
    for await (const part of io.stdin) parts.push(Buffer.from(part));
    return Buffer.concat(parts).toString();
  }
  try {
    return await readFile(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${getMessage(error)}`);
  }
}
