import { group } from '../../command.js';
import { storeCopy } from './store-copy.js';
import { storeUpgrade } from './store-upgrade.js';

export const define = group({ copy: storeCopy, upgrade: storeUpgrade }, [
  'xsvc store upgrade --dry-run',
  'xsvc store copy --from lmdb:/var/lib/xsvc --to postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
]);
