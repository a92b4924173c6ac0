import { afterAll, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { putDesk, tickets } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const COUNT = "specs.add(IndexSpecs.single('spec.count', 'number').indexFunc((t) => t.spec.count));";
const RULE = `apiGroups: [desk.example.com], resources: [tickets], verbs: [list]`;
const OBJECTS = `apiVersion: access.platform.run/v1alpha1
kind: Role
metadata: { name: editors }
rules: [{ ${RULE}, fields: { read: [spec.subject, spec.count] } }]
---
apiVersion: access.platform.run/v1alpha1
kind: Role
metadata: { name: readers }
rules: [{ ${RULE}, fields: { read: [spec.subject] } }]
---
apiVersion: delivery.platform.run/v1alpha1
kind: Webhook
metadata: { name: many }
spec: { url: 'http://127.0.0.1:1', models: [{ group: desk.example.com, kind: Ticket }], filter: spec.count > 3 }
---
apiVersion: console.platform.run/v1alpha1
kind: View
metadata: { name: by-count }
spec: { model: { group: desk.example.com, plural: tickets }, title: Counts, parameters: 'sort=spec.count%2Cdesc' }
`;

it('a plan names the roles, webhooks and views that mention a removed field', async () => {
  const cwd = temporaryDirectory();
  const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });
  await putDesk(cwd, { indexes: COUNT });
  await putFiles(cwd, {
    'objects.yaml': OBJECTS,
    'tickets.ndjson': tickets(1, () => ({ subject: 'a', count: 1 }), 'v1'),
  });
  for (const line of ['apply -f objects.yaml', 'import -f tickets.ndjson'])
    expect(await xsvc(line)).toMatchObject({ code: 0, err: '' });
  expect(await xsvc('model plan')).toMatchObject({ code: 0, out: 'nothing to do\n' });

  const subject = { type: 'string' };
  await putDesk(cwd, { spec: { type: 'object', properties: { subject, channel: subject } } });
  expect(await xsvc('model plan')).toMatchObject({
    code: 10,
    out: `tickets.desk.example.com (plugin desk, 1 object)
  spec.count: removed
  spec.subject: is no longer required
  spec.count: index removed
  warning: Role "editors" mentions spec.count, which is removed
  warning: Webhook "many" mentions spec.count, which is removed
  warning: View "by-count" mentions spec.count, which is removed
1 model would change; all objects are valid
`,
  });
  const { models } = JSON.parse((await xsvc('model plan -o json')).out) as { models: object[] };
  expect(models).toMatchObject([
    {
      mentions: [
        { kind: 'Role', name: 'editors', field: 'spec.count' },
        { kind: 'Webhook', name: 'many', field: 'spec.count' },
        { kind: 'View', name: 'by-count', field: 'spec.count' },
      ],
    },
  ]);
});
