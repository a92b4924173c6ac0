import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../../lib/make-directories.js';
import { badRequest, conflict, getMessage } from '../../../errors.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { linkUnlessInstalled, writeFiles } from '../../scaffold/files.js';
import { projectFiles, projectManifest } from '../../scaffold/project.js';
import { command } from '../../command.js';
import { toggle } from '../../flags.js';

export const define = command({
  description:
    'Create a project in which plugins are started, tested and type-checked. Nothing is overwritten; missing entries are added to package.json.',
  args: { '[dir]': 'where to create it; default: the working directory' },
  flags: { example: toggle('add the plugin person: a model, indexes, objects, endpoints and a test') },
  examples: ['xsvc init --example', 'xsvc init shop && cd shop && xsvc plugin init order'],
  run: ({ example = false }, io, [directory = '.']) => init(directory, example, io),
});

async function init(shown: string, withExample: boolean, io: CliIo): Promise<number> {
  const directory = path.resolve(io.cwd, shown);
  const files = await projectFiles(withExample);
  const taken = Object.keys(files).filter((file) => existsSync(path.join(directory, file)));
  if (taken.length > 0) {
    const names = taken.map((file) => path.join(shown, file)).join(', ');
    throw conflict(`${names}: already exist, so nothing was written; use another directory`);
  }
  const manifest = path.join(directory, 'package.json');
  const present = await readFile(manifest, 'utf8').catch(() => undefined);
  const next = manifestFrom(() => projectManifest(present, directory), path.join(shown, 'package.json'));
  await writeFiles(directory, files, (file) => io.stdout.line(`${path.join(shown, file)} created`));
  if (next !== undefined) {
    await makeDirectories(directory);
    await writeFile(manifest, next);
    const done = present === undefined ? 'created' : 'changed';
    io.stdout.line(`${path.join(shown, 'package.json')} ${done}`);
  }
  await linkUnlessInstalled(directory);
  const change = shown === '.' ? '' : `cd ${shown} && `;
  io.stderr.line(`start it with: ${change}npm install && npm start`);
  if (!withExample) io.stderr.line(`create a plugin with: ${change}npx xsvc plugin init NAME`);
  return EXIT.done;
}

function manifestFrom(make: () => string | undefined, shown: string): string | undefined {
  try {
    return make();
  } catch (error) {
    throw badRequest(`cannot change ${shown}: ${getMessage(error)}`);
  }
}
