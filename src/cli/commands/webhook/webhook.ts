import { group } from '../../command.js';
import { webhookDeadLetters } from './webhook-dead-letters.js';
import { webhookList } from './webhook-list.js';
import { webhookReplay } from './webhook-replay.js';

export const define = group({ list: webhookList, replay: webhookReplay, deadletters: webhookDeadLetters }, [
  'xsvc webhook list',
  'xsvc webhook deadletters orders',
  'xsvc webhook replay orders --deadletters',
  'xsvc webhook replay orders --from 1042',
]);
