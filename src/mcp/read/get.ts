import { badRequest, formatExcerpt } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { getAtMoment, MOMENT, parseMoment } from '../../service/read/moment.js';
import { ANSWER_BYTES_MAX, jsonBytes, objectTooLarge } from '../answer/bounds.js';
import { FIELDS, readFields } from '../answer/fields.js';
import type { AgentReads } from '../caller.js';
import { findModel, MODEL, NAME, readName, shownModel } from '../names.js';
import { defineTool, READS } from '../tool.js';

export const GET_TOOL = defineTool({
  name: 'get',
  title: 'Get an object',
  description:
    'Returns one object, or its state in the past. A large object needs `fields`; the error then names its fields with their sizes.',
  parameters: {
    model: MODEL,
    name: NAME,
    at: {
      type: 'revision',
      about: `The state at a moment in the past: ${MOMENT}. Example: "1042"`,
      isOptional: true,
    },
    fields: FIELDS,
  },
  ...READS,
  run: async ({ model, name, at, fields }, caller) => {
    const project = readFields(fields);
    const resource = await findModel(caller, model);
    const object = project(await read(caller.reads, resource, readName(resource, name), at));
    if (jsonBytes(object) > ANSWER_BYTES_MAX)
      throw objectTooLarge(`${shownModel(resource)} "${name}"`, object);
    return object;
  },
});

async function read(
  reads: AgentReads,
  resource: Resource,
  name: string,
  at: string | undefined,
): Promise<ExtensionObject> {
  if (at === undefined) return reads.get(resource, name);
  const moment = parseMoment(at, Date.now());
  if (moment === undefined) throw badRequest(`at: "${formatExcerpt(at)}" must be ${MOMENT}`);
  return getAtMoment(reads, { resource, name }, moment);
}
