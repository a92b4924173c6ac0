import { badRequest } from '../../../errors.js';
import type { WriteOptions, WriteResult } from '../../../service/verbs.js';
import { Unchecked } from '../../apply/unchecked.js';
import { settledInOrder } from '../../concurrent.js';
import { earlyAndLate } from '../../input/definitions.js';
import { readManifests, type Manifest } from '../../input/manifests.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { Progress } from '../../output/progress.js';
import { atPlace, Failures, printWarnings } from '../../results.js';
import { openForWriting, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { DRY_RUN, INPUT, requiredFiles, VALIDATE, VALIDATIONS, WRITE_OUTPUT } from '../shared.js';

const FLAGS = { ...INPUT, ...DRY_RUN, ...VALIDATE, ...WRITE_OUTPUT };

export const define = command({
  flags: FLAGS,
  examples: [
    'xsvc create -f person.yaml',
    'xsvc create -f person.yaml --dry-run -o yaml',
    'name=$(xsvc create -f job.yaml -o name)   # a manifest with metadata.generateName',
  ],
  run: create,
});

/** Creates each object separately; an existing one is a failure, and the others continue. */
async function create(flags: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  const filename = requiredFiles('create', flags.filename);
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const resources = await verbs.resources();
    const options = { resources, scope: await findScope(flags, io), takesGenerated: true };
    const { manifests, problems } = await readManifests(io, { ...flags, filename }, options);
    const unchecked = new Unchecked(resources);
    const how = {
      fieldValidation: VALIDATIONS[flags.validate],
      dryRun: flags.dryRun === true,
    } satisfies WriteOptions;
    for (const problem of problems) await failures.add(problem);
    if (failures.count > 0) {
      const results = settledInOrder(unchecked.select(manifests, io), ({ resource, value }) =>
        verbs.create(resource, { ...value }, { ...how, dryRun: true }),
      );
      for await (const [manifest, result] of results)
        if (result.status === 'rejected') await failures.add(createFault(manifest, result.reason));
      io.stderr.line(`nothing was written: ${failures.count} of the manifests are invalid`);
      return failures.exitCode;
    }
    if (manifests.length === 0) throw badRequest('the files contain no manifest');
    const printer = await WritePrinter.open(io, flags);
    const progress = new Progress(io.stderr, 'created', manifests.length);
    const create = ({ resource, value }: Manifest): Promise<WriteResult> =>
      verbs.create(resource, { ...value }, how);
    let done = 0;
    for (const part of earlyAndLate(manifests)) {
      const written = how.dryRun ? unchecked.select(part, io) : part;
      for await (const [manifest, result] of settledInOrder(written, create)) {
        progress.show((done += 1));
        if (result.status === 'fulfilled') {
          const { resource } = manifest;
          const { object, warnings } = result.value;
          unchecked.note(manifest, 'created');
          await printer.print(resource, object, 'created', 'good');
          printWarnings(io, getSubject(resource, object.metadata.name), warnings);
          continue;
        }
        progress.clear();
        await failures.add(createFault(manifest, result.reason));
      }
    }
    progress.clear();
    return failures.exitCode;
  });
}

function createFault({ resource, name, place }: Manifest, reason: unknown): unknown {
  return atPlace(reason, place, name === '' ? resource.kind : getSubject(resource, name));
}
