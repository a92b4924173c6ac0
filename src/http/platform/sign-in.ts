import { objectAnswer } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { alwaysWarn, sendValue } from '../answer/respond.js';
import { API_VERSION, type PlatformEndpoint } from './endpoint.js';

/** Open: programs need it before they have a token. */
export const SIGN_IN: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${API_VERSION}/signin`,
  right: 'everyone',
  operation: {
    operationId: 'GetSignIn',
    summary: 'Where people sign in',
    description: 'Needs no token. 404 for a service without an issuer (OpenID Connect).',
    answer: objectAnswer('The issuer, and the ID of the client there.', 'SignIn'),
    errors: ['NotFound'],
    schemas: { SignIn: objectSchema({ issuer: { ...text, format: 'uri' }, clientId: text }) },
  },
  warn: alwaysWarn,
  handler: ({ signInClient }) => {
    if (signInClient === undefined) return undefined;
    const { issuer, clientId } = signInClient;
    return (_req, res) => sendValue(res, 200, { issuer, clientId });
  },
};
