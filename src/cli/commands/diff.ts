import type { Command } from 'commander';
import { badRequest } from '../../errors.js';
import { applyEach, type Applied } from '../apply/execute.js';
import { withoutLock } from '../apply/plan.js';
import { EXIT } from '../exit.js';
import { readManifests, type InputFlags } from '../input/manifests.js';
import type { CliIo } from '../io.js';
import { colorsFor } from '../output/colors.js';
import { escapeLines } from '../output/escape.js';
import { colorDiff, unifiedDiff } from '../output/unified-diff.js';
import { subjectOf } from '../output/written.js';
import { atPlace, Failures, printWarnings } from '../results.js';
import { openForChanging, withVerbs, type GlobalFlags } from '../session.js';
import {
  examples,
  inputFlags,
  requiredFiles,
  validateFlag,
  VALIDATIONS,
  type CommandContext,
  type Validation,
} from './shared.js';

interface Flags extends GlobalFlags, Partial<InputFlags> {
  readonly validate: Validation;
  readonly forceConflicts?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  inputFlags(command);
  command
    .addOption(validateFlag())
    .option('--force-conflicts', 'compare with whatever is stored, also where a file names another version')
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await diff(self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    '\nPrints what apply would change, as a unified diff of YAML. Exits with 0 when nothing would, with 10 when\n' +
      'something would, and with the code of the failure when some of it could not be applied.',
  );
  examples(command, [
    'xsvc diff -f person.yaml',
    'xsvc diff -R -f manifests/ --server http://127.0.0.1:8090',
    'xsvc diff -f site.yaml || [ $? -eq 10 ]',
  ]);
}

async function diff(flags: Flags, io: CliIo): Promise<number> {
  const filename = requiredFiles('diff', flags.filename);
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const input = await readManifests(io, { ...flags, filename }, await verbs.resources());
    for (const problem of input.problems) await failures.add(problem);
    if (failures.count > 0) return failures.exitCode;
    if (input.manifests.length === 0) throw badRequest('the files hold no manifest');
    const manifests = flags.forceConflicts === true ? input.manifests.map(withoutLock) : input.manifests;
    const options = { dryRun: true, fieldValidation: VALIDATIONS[flags.validate] };
    let differs = false;
    for await (const outcome of applyEach(verbs, manifests, options)) {
      if (!('manifest' in outcome)) continue;
      if ('error' in outcome) {
        const { resource, name, place } = outcome.manifest;
        await failures.add(atPlace(outcome.error, place, subjectOf(resource, name)));
        continue;
      }
      const isDifferent = await printDifference(io, outcome);
      differs ||= isDifferent;
    }
    if (failures.count > 0) return failures.exitCode;
    return differs ? EXIT.differs : EXIT.done;
  });
}

/** @returns whether there is one */
async function printDifference(io: CliIo, { manifest, live, object, warnings }: Applied): Promise<boolean> {
  const subject = subjectOf(manifest.resource, manifest.name);
  printWarnings(io, subject, warnings);
  const text = unifiedDiff(
    { title: `${subject} (live)`, object: live },
    { title: `${subject} (${manifest.place()})`, object },
  );
  const shown = io.stdout.isTTY ? escapeLines(text) : text;
  io.stdout.write(colorDiff(shown, await colorsFor(io.stdout, io.env)));
  return text !== '';
}
