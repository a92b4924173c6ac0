import { EVERYWHERE } from '../../openapi/common.js';
import { schemaRef } from '../../openapi/json-fragment.js';
import { objectAnswer } from '../../openapi/platform.js';
import { kindSchema, objectSchema, text } from '../../openapi/schema-parts.js';
import { PAGE_PLACEMENTS } from '../../plugin/manifest/console-pages.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { API_VERSION, type PlatformEndpoint } from '../platform/endpoint.js';

/** The pages that running plugins add to the console. Every user may read it, because their files are public. */
export const CONSOLE_PAGES: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${API_VERSION}/consolepages`,
  right: 'user',
  operation: {
    operationId: 'ListConsolePages',
    summary: 'The pages that running plugins add to the console',
    answer: objectAnswer('The pages, by plugin, in the order of their manifests.', 'ConsolePageList'),
    errors: EVERYWHERE,
    schemas: {
      ConsolePageList: kindSchema(API_VERSION, 'ConsolePageList', {
        items: { type: 'array', items: schemaRef('ConsolePage') },
      }),
      ConsolePage: objectSchema({
        plugin: { ...text, description: 'Name of the plugin.' },
        title: text,
        'icon?': { ...text, description: 'Name of an icon of the console.' },
        path: { ...text, description: 'The file, below `/plugins/<plugin>/assets/`.' },
        placement: { ...text, enum: [...PAGE_PLACEMENTS] },
        'model?': { ...text, description: 'For tabs: the model, as `<plural>.<group>`.' },
      }),
    },
  },
  warn: addWarnings,
  handler:
    ({ assets }) =>
    (_req, res) =>
      sendValue(res, 200, {
        apiVersion: API_VERSION,
        kind: 'ConsolePageList',
        items: [...(assets?.pages() ?? [])].map((page) => ({ ...page })),
      }),
};
