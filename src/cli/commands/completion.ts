import { Argument, type Command } from 'commander';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.js';
import { examples, type CommandContext } from './shared.js';

export function define(command: Command, context: CommandContext): void {
  command
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(SHELLS))
    .action((shell: Shell) => {
      context.io.stdout.write(SCRIPTS[shell]);
    });
  command.addHelpText(
    'after',
    '\nThe shell completes commands, options and their choices, and, by asking the store or the server that the\n' +
      'line names, resources and objects.',
  );
  examples(command, [
    'source <(xsvc completion bash)     # in ~/.bashrc',
    'source <(xsvc completion zsh)      # in ~/.zshrc, after compinit',
    'xsvc completion fish > ~/.config/fish/completions/xsvc.fish',
  ]);
}
