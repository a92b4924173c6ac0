import { group } from '../../command.js';
import { tokenCreate } from './token-create.js';
import { tokenPrint } from './token-print.js';

export const define = group({ create: tokenCreate, print: tokenPrint }, [
  'xsvc token create --user ci --role editor --ttl 30d',
  'xsvc get tokens',
  'xsvc delete token 0123456789abcdef0123   # requests with it are rejected from now on',
]);
