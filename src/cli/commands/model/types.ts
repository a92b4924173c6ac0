import type { Resource } from '../../../model/resource.js';
import { emitGo } from '../../../openapi/types/go.js';
import { emitPython } from '../../../openapi/types/python.js';
import { emitTypes } from '../../../openapi/types/typescript.js';
import type { CliIo } from '../../io.js';
import { findRemote } from '../../remote/remote.js';
import { openForReading, withDescription, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit.js';
import { choice, withDefault, type GlobalFlags } from '../../flags.js';

const LANGUAGES = ['typescript', 'python', 'go'] as const;

const EMITTERS: Readonly<Record<(typeof LANGUAGES)[number], (models: readonly Resource[]) => string>> = {
  typescript: emitTypes,
  python: emitPython,
  go: emitGo,
};

export const define = command({
  flags: {
    language: withDefault(choice('<language>', 'language of the types', LANGUAGES), 'typescript'),
  },
  examples: [
    'xsvc types > models.d.ts',
    'xsvc types --server http://127.0.0.1:8090 > models.d.ts',
    'xsvc types --language python > models.py',
    'xsvc types --language go > models/models.go',
  ],
  run: async (flags, io) => {
    io.stdout.write(EMITTERS[flags.language](await modelsFor(flags, io)));
    return EXIT.done;
  },
});

/** The models of the server, or else of the plugins; the store may also have models of removed plugins. */
async function modelsFor(flags: GlobalFlags, io: CliIo): Promise<readonly Resource[]> {
  if ((await findRemote(flags, io)) !== undefined)
    return withVerbs(openForReading(flags, io), (verbs) => verbs.resources());
  return withDescription(flags, io, ({ models }) => models);
}
