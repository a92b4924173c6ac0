import { readOwnFile } from '../package-files.js';
import { command } from '../command.js';
import { EXIT } from '../exit.js';

export const define = command({
  args: { '<shell>': ['the shell', ['bash', 'zsh', 'fish']] },
  notes: [
    'The shell completes commands, options, choices of options, resources and objects. Resources and objects are',
    'read from the store or server that the command line names.',
  ],
  examples: [
    'source <(xsvc completion bash)     # in ~/.bashrc',
    'source <(xsvc completion zsh)      # in ~/.zshrc, after compinit',
    'xsvc completion fish > ~/.config/fish/completions/xsvc.fish',
  ],
  run: async (_flags, io, [shell = '']) => {
    io.stdout.write(await readOwnFile(`templates/completion/xsvc.${shell}`));
    return EXIT.done;
  },
});
