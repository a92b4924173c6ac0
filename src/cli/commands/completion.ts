import { Argument, type Command } from 'commander';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import { examples, type CommandContext } from './shared.js';

export function define(command: Command, context: CommandContext): void {
  command.addArgument(new Argument('<shell>', 'the shell').choices(SHELLS)).action((shell: Shell) => {
    context.io.stdout.write(SCRIPTS[shell]);
  });
  command.addHelpText(
    'after',
    '\nThe shell completes commands, options, choices of options, resources and objects. Resources and objects are\n' +
      'read from the store or server that the command line names.',
  );
  examples(command, [
    'source <(xsvc completion bash)     # in ~/.bashrc',
    'source <(xsvc completion zsh)      # in ~/.zshrc, after compinit',
    'xsvc completion fish > ~/.config/fish/completions/xsvc.fish',
  ]);
}
