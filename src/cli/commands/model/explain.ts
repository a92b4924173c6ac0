import type { Command } from 'commander';
import { getApiVersion } from '../../../model/resource.js';
import { EXIT } from '../../exit.js';
import { explainLines, parseSubject } from '../../explain/explain.js';
import type { CliIo } from '../../io.js';
import { openForReading, withVerbs, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly recursive?: boolean;
  readonly apiVersion?: string;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument(
      '<resource>',
      'plural, singular, kind or short name, with the path of a field: persons.spec.age',
    )
    .option('--recursive', 'print the fields of all levels, without descriptions')
    .option('--api-version <group/version>', 'only models of this group and version')
    .action(async (subject: string, _flags: unknown, self: Command) => {
      context.exitCode = await explain(subject, self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc explain persons',
    'xsvc explain persons.spec.age',
    'xsvc explain persons.demo.example.com --recursive',
  ]);
}

async function explain(text: string, flags: Flags, io: CliIo): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { apiVersion, recursive = false } = flags;
    const all = await verbs.resources();
    const resources =
      apiVersion === undefined ? all : all.filter((resource) => getApiVersion(resource) === apiVersion);
    for (const line of explainLines(parseSubject(resources, text), recursive)) io.stdout.write(`${line}\n`);
    return EXIT.done;
  });
}
