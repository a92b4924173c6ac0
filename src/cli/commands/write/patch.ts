import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { badRequest, getMessage } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { parseYaml } from '../../../lib/json/yaml.js';
import type { PatchType, Verbs, WriteOptions } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { Failures, printWarnings } from '../../results.js';
import { openForChanging, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { command } from '../../command.js';
import { choice, text, withDefault, type CommandFlags } from '../../flags.js';
import { DRY_RUN, OBJECTS, SUBRESOURCE, VALIDATE, VALIDATIONS, WRITE_OUTPUT } from '../shared.js';

interface Patch {
  readonly type: PatchType;
  readonly value: unknown;
}

const FLAGS = {
  type: withDefault(
    choice('<type>', 'merge: JSON Merge Patch (RFC 7396); json: JSON Patch (RFC 6902)', ['merge', 'json']),
    'merge',
  ),
  patch: text('<patch>', 'the patch, as JSON or YAML', { short: '-p' }),
  patchFile: text('<file>', 'file with the patch, - for standard input'),
  ...SUBRESOURCE,
  ...DRY_RUN,
  ...VALIDATE,
  ...WRITE_OUTPUT,
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: OBJECTS,
  flags: FLAGS,
  examples: [
    `xsvc patch persons ada -p '{"spec": {"age": 31}}'`,
    `xsvc patch persons ada -p 'spec: { email: null }' -o yaml`,
    `xsvc patch persons ada --type json -p '[{"op": "add", "path": "/spec/tags/-", "value": "new"}]'`,
    `xsvc patch persons ada --subresource status -p '{"status": {"phase": "Ready"}}'`,
  ],
  run: patch,
});

async function patch(flags: Flags, io: CliIo, args: readonly string[]): Promise<number> {
  const change = await readPatch(flags, io);
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args, await findScope(flags, io));
    if (names.length === 0) throw new UsageError('patch needs the name of an object');
    const failures = new Failures(io, flags);
    const printer = await WritePrinter.open(io, flags);
    for (const target of names)
      await failures.attempt(() => patchOne(verbs, target, change, { flags, io, printer }));
    return failures.exitCode;
  });
}

async function patchOne(
  verbs: Verbs,
  { resource, name }: Target,
  { type, value }: Patch,
  { flags, io, printer }: { readonly flags: Flags; readonly io: CliIo; readonly printer: WritePrinter },
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
