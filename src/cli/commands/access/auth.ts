import { group } from '../../command.js';
import { canI } from './can-i.js';

export const define = group({ 'can-i': canI }, [
  'xsvc auth can-i delete persons --server https://xsvc.example.com:8090',
  'xsvc auth can-i update person ada --subresource status',
]);
