import { LIST_PARAMETERS } from '../../../query/list-parameters.js';
import { negated, text, toggle } from '../../flags.js';
import { ALL_NAMESPACES, parameterFlags, READ_OUTPUT } from '../shared.js';

export const LIST = {
  ...parameterFlags(LIST_PARAMETERS),
  ...ALL_NAMESPACES,
  ...READ_OUTPUT,
  headers: negated('omit the header of a table'),
  showLabels: toggle('print the labels as the last column'),
  sortBy: text('<path>', '', { isHidden: true }),
  explain: toggle('print the query plan and its costs instead of the list'),
};

/** The flags of commands that watch, in addition to those of lists. */
export const WATCH = {
  watchOnly: toggle('print changes, without the list'),
  outputWatchEvents: toggle('with --watch, print the type of each event'),
};
