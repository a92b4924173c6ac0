import type { Resource } from '../../../model/resource.js';
import { emitTypes } from '../../../openapi/types/typescript.js';
import type { CliIo } from '../../io.js';
import { findRemote } from '../../remote/remote.js';
import { openForReading, withDescription, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { EXIT, UsageError } from '../../exit.js';
import { text, type GlobalFlags } from '../../flags.js';

export const define = command({
  flags: {
    // The previous release wrote Python and Go, too. The next one forgets the flag.
    language: text('<language>', 'only typescript', { isHidden: true }),
  },
  examples: ['xsvc types > models.d.ts', 'xsvc types --server http://127.0.0.1:8090 > models.d.ts'],
  run: async ({ language = 'typescript', ...flags }, io) => {
    if (language !== 'typescript')
      throw new UsageError(
        `--language ${language} is gone: give the description (xsvc openapi, or /v3/api-docs of a server) to a generator of OpenAPI`,
      );
    io.stdout.write(emitTypes(await modelsFor(flags, io)));
    return EXIT.done;
  },
});

/** The models of the server, or else of the plugins; the store may also have models of removed plugins. */
async function modelsFor(flags: GlobalFlags, io: CliIo): Promise<readonly Resource[]> {
  if ((await findRemote(flags, io)) !== undefined)
    return withVerbs(openForReading(flags, io), (verbs) => verbs.resources());
  return withDescription(flags, io, ({ models }) => models);
}
