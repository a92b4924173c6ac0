import { badRequest, formatExcerpt } from '../errors.js';

/** Most references that one path follows. */
const STEPS_MAX = 3;

/** The fields of references, one after another, the first one in the objects of the answer. */
export type ReferencePath = readonly string[];

/**
 * Reads texts of paths, separated by commas; undefined without any.
 * @throws ServiceError `BadRequest` for a missing field, or a path that is too long
 */
export function readExpand(
  given: string | readonly string[] | undefined,
): readonly ReferencePath[] | undefined {
  if (given === undefined) return undefined;
  const texts = [given].flat().filter((text) => text.trim() !== '');
  return texts.length === 0 ? undefined : texts.flatMap((text) => text.split(',').map(readPath));
}

function readPath(text: string): ReferencePath {
  const fields = text.split('->').map((field) => field.trim());
  if (fields.includes('')) throw badRequest('expand: a field is missing; write <field>[-><field>][,<field>]');
  if (fields.length > STEPS_MAX)
    throw badRequest(
      `expand: "${formatExcerpt(text.trim())}" follows ${fields.length} references; at most ${STEPS_MAX} are possible`,
    );
  return fields;
}
