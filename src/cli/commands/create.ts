import type { Command } from 'commander';
import { badRequest } from '../../errors.js';
import type { WriteOptions } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import { readManifests, type InputFlags } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { subjectOf, WritePrinter, writeOutputFlag, type WriteOutputFlags } from '../output/written.js';
import { Progress } from '../output/progress.js';
import { atPlace, Failures, printWarnings } from '../results.js';
import { openForWriting, withVerbs, type GlobalFlags } from '../session.js';
import {
  examples,
  inputFlags,
  requiredFiles,
  validateFlag,
  VALIDATIONS,
  type CommandContext,
  type Validation,
} from './shared.js';

interface Flags extends GlobalFlags, WriteOutputFlags, Partial<InputFlags> {
  readonly validate: Validation;
}

export function define(command: Command, context: CommandContext): void {
  inputFlags(command);
  command
    .option('--dry-run', 'only say what would happen')
    .addOption(validateFlag())
    .addOption(writeOutputFlag())
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await create(self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc create -f person.yaml',
    'xsvc create -f person.yaml --dry-run -o yaml',
    'name=$(xsvc create -f job.yaml -o name)   # a manifest with metadata.generateName',
  ]);
}

/** Creates each object on its own; one that is there already is a failure, and the others go on. */
async function create(flags: Flags, io: CliIo): Promise<number> {
  const filename = requiredFiles('create', flags.filename);
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const resources = await verbs.resources();
    const options = { takesGenerated: true };
    const { manifests, problems } = await readManifests(io, { ...flags, filename }, resources, options);
    for (const problem of problems) await failures.add(problem);
    if (failures.count > 0) {
      io.stderr.write(`nothing was written: ${failures.count} of the manifests cannot be used\n`);
      return failures.exitCode;
    }
    if (manifests.length === 0) throw badRequest('the files hold no manifest');
    const how: WriteOptions = {
      fieldValidation: VALIDATIONS[flags.validate],
      dryRun: flags.dryRun === true,
    };
    const printer = await WritePrinter.open(io, flags);
    const progress = new Progress(io.stderr, 'created', manifests.length);
    const results = settledInOrder(manifests, ({ resource, value }) =>
      verbs.create(resource, { ...value }, how),
    );
    let done = 0;
    for await (const [{ resource, name, place }, result] of results) {
      progress.show((done += 1));
      if (result.status === 'fulfilled') {
        const { object, warnings } = result.value;
        await printer.print(resource, object, 'created', 'good');
        printWarnings(io, subjectOf(resource, object.metadata.name), warnings);
        continue;
      }
      progress.clear();
      const subject = name === '' ? resource.kind : subjectOf(resource, name);
      await failures.add(atPlace(result.reason, place, subject));
    }
    progress.clear();
    return failures.exitCode;
  });
}
