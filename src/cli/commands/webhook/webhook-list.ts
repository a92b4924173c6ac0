import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { printList, printRows } from '../../output/objects.js';
import { openForReading, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { findOwnModel } from '../../model/plugins.js';
import { TABLE } from '../shared.js';
import { API_VERSION, WEBHOOKS } from './webhook-access.js';

export const webhookList = command({
  description: 'Print the webhooks, with their positions and last errors',
  flags: TABLE,
  examples: ['xsvc webhook list', 'xsvc webhook list -o yaml --server http://127.0.0.1:8090'],
  run: list,
});

async function list(flags: CommandFlags<typeof TABLE>, io: CliIo): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const resource = await findOwnModel(verbs, WEBHOOKS);
    const items = resource === undefined ? [] : (await verbs.list(resource)).items;
    if (flags.output === 'json' || flags.output === 'yaml') {
      await printList(io, { apiVersion: API_VERSION, kind: 'WebhookList' }, items, flags.output);
      return EXIT.done;
    }
    const count = resource === undefined ? 0 : await printRows(io, resource, items, flags);
    if (count === 0) io.stderr.line('no webhooks found');
    return EXIT.done;
  });
}
