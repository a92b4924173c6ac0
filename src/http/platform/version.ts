import { statSync } from 'node:fs';
import { objectAnswer } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { alwaysWarn, sendValue } from '../answer/respond.js';
import type { PlatformEndpoint } from './endpoint.js';

/** The Kubernetes minor version whose API this one resembles; clients compare it with their own. */
const KUBERNETES_MINOR = 32;

export const VERSION: PlatformEndpoint = {
  method: 'GET',
  path: '/version',
  operation: {
    operationId: 'GetServiceVersion',
    summary: 'The version of the service',
    answer: objectAnswer('The version.', 'ServiceVersion'),
    errors: ['InternalError'],
    schemas: {
      ServiceVersion: objectSchema({
        major: text,
        minor: text,
        gitVersion: {
          ...text,
          description: 'The Kubernetes version that the API resembles, with that of xsvc.',
        },
        gitCommit: text,
        gitTreeState: text,
        buildDate: {
          ...text,
          format: 'date-time',
          description: 'Build time: when the files of the program were written.',
        },
        goVersion: { ...text, description: 'The runtime in place of a Go version.' },
        compiler: text,
        platform: { ...text, description: 'Operating system and architecture, as Node.js names them.' },
        xsvcVersion: text,
        nodeVersion: text,
      }),
    },
  },
  warn: alwaysWarn,
  handler: ({ version }) => {
    const info = versionInfo(version);
    return (req, res) => sendValue(res, 200, info);
  },
};

/** All members of Kubernetes' answer, because some clients require each of them, and two additional ones. */
function versionInfo(version: string): object {
  return {
    major: '1',
    minor: String(KUBERNETES_MINOR),
    gitVersion: `v1.${KUBERNETES_MINOR}.0+xsvc.${version}`,
    // A package has no information about its source repository.
    gitCommit: 'unknown',
    gitTreeState: 'archive',
    buildDate: buildDate(),
    goVersion: `none, node ${process.version}`,
    compiler: `V8 ${process.versions.v8}`,
    platform: `${process.platform}/${process.arch}`,
    xsvcVersion: version,
    nodeVersion: process.version,
  };
}

/** The modification time of a file that the build writes. */
function buildDate(): string {
  return statSync(new URL('../../console/index.html', import.meta.url))
    .mtime.toISOString()
    .replace(/\.\d+Z$/, 'Z');
}
