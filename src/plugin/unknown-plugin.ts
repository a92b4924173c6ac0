import { notFound, type ServiceError } from '../errors.js';
import { didYouMean, suggest } from '../lib/suggest.js';

export function unknownPlugin(name: string, known: readonly string[]): ServiceError {
  const all = known.length === 0 ? 'none is installed' : `installed are ${known.join(', ')}`;
  return notFound(`no plugin is named "${name}": ${all}${didYouMean(suggest(name, known))}`);
}
