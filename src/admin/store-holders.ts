import { conflict } from '../errors.js';
import { lmdbHolders } from '../engines/lmdb/engine.js';

/**
 * @param purpose the operation on the store that needs it closed: `replaced`, `copied`
 * @throws ServiceError `Conflict` that names the processes that have it open
 */
export async function refuseIfOpen(directory: string, purpose: string): Promise<void> {
  const holders = await lmdbHolders(directory);
  if (holders.length === 0) return;
  const who =
    holders.length === 1 ? `process ${String(holders[0])} has` : `processes ${holders.join(', ')} have`;
  throw conflict(`${who} the store in ${directory} open; stop it before the store is ${purpose}`);
}
