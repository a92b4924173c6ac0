import { formatExcerpt, notFound } from '../../errors.js';
import type { JsonObject } from '../../model/object.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer } from '../../openapi/platform.js';
import { kindSchema, objectSchema, text, anyObject } from '../../openapi/schema-parts.js';
import type { ShownConfig } from '../../plugin/config/shown-config.js';
import { PLUGINS } from '../../plugin/plugin-model.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';

const API = `${PLUGINS.group}/${PLUGINS.version}`;

/** The configuration of a plugin as the operator wrote it, without secrets, and its schema. */
export const PLUGIN_CONFIG: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${API}/${PLUGINS.plural}/:name/config`,
  operation: {
    operationId: 'ReadPluginConfig',
    summary: 'The configuration of a plugin, without secrets, and its schema',
    parameters: ['name'],
    answer: objectAnswer('The configuration.', 'PluginConfiguration'),
    errors: ['NotFound', ...EVERYWHERE],
    schemas: {
      PluginConfiguration: kindSchema(API, 'PluginConfiguration', {
        metadata: objectSchema({ name: text }),
        'schema?': { ...anyObject, description: 'Absent: the plugin declares none, so no values are shown.' },
        'value?': { ...anyObject, description: 'The declared values.' },
        secrets: {
          type: 'array',
          items: objectSchema({ path: text, isSet: { type: 'boolean' } }),
          description: 'Fields whose values are never shown.',
        },
      }),
    },
  },
  warn: addWarnings,
  handler: ({ findPluginConfig: find }) =>
    find &&
    ((req, res) => {
      const { name } = req.params;
      const plugin = typeof name === 'string' ? name : '';
      const found = find(plugin);
      if (found === undefined) throw notFound(`no plugin is named "${formatExcerpt(plugin)}"`);
      sendValue(res, 200, getBody(plugin, found));
    }),
};

function getBody(name: string, found: ShownConfig | 'none'): JsonObject {
  const head = { apiVersion: API, kind: 'PluginConfiguration', metadata: { name } };
  if (found === 'none') return { ...head, secrets: [] };
  return { ...head, ...found, secrets: found.secrets.map((one) => ({ ...one })) };
}
