import { getApiVersion } from '../../../model/resource.js';
import { EXIT } from '../../exit.js';
import { withSchema } from '../../explain/defined-schema.js';
import { explainLines, parseSubject } from '../../explain/explain.js';
import type { CliIo } from '../../io.js';
import { openForReading, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';

const FLAGS = {
  recursive: toggle('print the fields of all levels, without descriptions'),
  apiVersion: text('<group/version>', 'only models of this group and version'),
};

export const define = command({
  args: { '<resource>': 'plural, singular, kind or short name, with the path of a field: persons.spec.age' },
  flags: FLAGS,
  examples: [
    'xsvc explain persons',
    'xsvc explain persons.spec.age',
    'xsvc explain persons.demo.example.com --recursive',
  ],
  run: explain,
});

async function explain(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [subject = '']: readonly string[],
): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { apiVersion, recursive = false } = flags;
    const all = await verbs.resources(subject);
    const resources =
      apiVersion === undefined ? all : all.filter((resource) => getApiVersion(resource) === apiVersion);
    const found = parseSubject(resources, subject);
    const resource = await withSchema(verbs, found.resource);
    for (const line of explainLines({ ...found, resource }, recursive)) io.stdout.line(line);
    return EXIT.done;
  });
}
