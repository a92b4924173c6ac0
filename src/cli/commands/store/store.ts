import { group } from '../../command.js';
import { storeCopy } from './store-copy.js';

export const define = group({ copy: storeCopy }, [
  'xsvc store copy --from lmdb:/var/lib/xsvc --to postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
]);
