import { group } from '../../command.js';
import { currentContext, deleteContext, getContexts, useContext } from './contexts.js';
import { setContext } from './set-context.js';

export const define = group(
  {
    'set-context': setContext,
    'use-context': useContext,
    'get-contexts': getContexts,
    'current-context': currentContext,
    'delete-context': deleteContext,
  },
  [
    'xsvc config set-context prod --server https://xsvc.example.com:8090 --token "$TOKEN"',
    'xsvc config use-context prod',
    'XSVC_SERVER= xsvc get persons   # the local store, whatever context is current',
  ],
);
