import { command } from '../../command.js';
import { UsageError } from '../../exit.js';
import { SEVERAL_RESOURCES } from '../shared.js';
import { get } from './get.js';
import { LIST } from './list-flags.js';

export const define = command({
  args: { '<resource>': SEVERAL_RESOURCES },
  flags: LIST,
  examples: [
    'xsvc list persons',
    'xsvc list persons -o json --size 100 --page 2',
    'xsvc list persons --sort spec.age --size 20 --explain',
    "xsvc list persons --field-selector 'spec.age!=30' --sort spec.age",
  ],
  run: async (flags, io, args) => {
    if (args.some((arg) => arg.includes('/'))) throw new UsageError('list takes no names; use xsvc get');
    return get(flags, io, args);
  },
});
