import { editObject } from '../../edit/session.js';
import { getExitCode, EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope } from '../../remote/namespaces.js';
import { printFailure } from '../../output/failure.js';
import { getSubject, WritePrinter } from '../../output/written.js';
import { printWarnings } from '../../results.js';
import { openForChanging, withVerbs } from '../../session.js';
import { readTargets } from '../../targets.js';
import { command } from '../../command.js';
import { format, withDefault, type CommandFlags } from '../../flags.js';
import { ONE_OBJECT, SUBRESOURCE, VALIDATE, VALIDATIONS } from '../shared.js';

const FLAGS = {
  output: withDefault(format(['yaml', 'json'], 'format of the text'), 'yaml'),
  ...SUBRESOURCE,
  ...VALIDATE,
};

export const define = command({
  args: ONE_OBJECT,
  flags: FLAGS,
  notes: [
    'The editor is the first of XSVC_EDITOR, KUBE_EDITOR, VISUAL and EDITOR that is set, else vi on a terminal. A rejected',
    'text is opened again with the errors in it; saving it again without a change cancels and keeps the text in a file.',
  ],
  examples: [
    'xsvc edit persons ada',
    'xsvc edit persons/ada -o json',
    "EDITOR='code --wait' xsvc edit person ada",
  ],
  run: edit,
});

/** The editor that an environment names, else vi on a terminal; undefined where vi would wait for ever. */
export function getEditor({
  env,
  stdinIsTTY,
  stdout,
}: Pick<CliIo, 'env' | 'stdinIsTTY' | 'stdout'>): string | undefined {
  const named = [env.XSVC_EDITOR, env.KUBE_EDITOR, env.VISUAL, env.EDITOR];
  const chosen = named.find((editor) => (editor ?? '').trim() !== '');
  return chosen ?? (stdinIsTTY && stdout.isTTY ? 'vi' : undefined);
}

async function edit(flags: CommandFlags<typeof FLAGS>, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForChanging(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args, await findScope(flags, io));
    const [target] = names;
    if (target === undefined) throw new UsageError('edit needs the name of an object');
    const { resource, name } = target;
    const request = {
      resource,
      name,
      editor: getEditor(io),
      format: flags.output,
      options: { fieldValidation: VALIDATIONS[flags.validate] },
      subresource: flags.subresource,
    };
    const end = await editObject(verbs, request, io);
    switch (end.outcome) {
      case 'edited': {
        const printer = await WritePrinter.open(io, {});
        await printer.print(resource, end.result.object, 'edited', 'attention');
        printWarnings(io, getSubject(resource, name), end.result.warnings);
        return EXIT.done;
      }
      case 'cancelled':
        io.stderr.line(`edit cancelled: ${end.reason}`);
        return EXIT.done;
      case 'failed':
        await printFailure(io, end.error, flags.verbose === true);
        io.stderr.line(
          `nothing was stored${end.kept === undefined ? '' : `; your text is kept in ${end.kept}`}`,
        );
        return getExitCode(end.error);
    }
  });
}
