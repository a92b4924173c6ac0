import { command } from '../../command.js';
import { ONE_RESOURCE } from '../shared.js';
import { get } from './get.js';
import { LIST, WATCH } from './list-flags.js';

/** `get --watch` as a separate command. */
export const define = command({
  args: { ...ONE_RESOURCE, '[name]': 'name of one object to watch' },
  flags: { ...LIST, ...WATCH },
  examples: [
    'xsvc watch persons',
    'xsvc watch person ada -o yaml',
    'xsvc watch persons -l demo.example.com/team=blue --output-watch-events',
  ],
  run: (flags, io, args) => get({ ...flags, watch: true }, io, args),
});
