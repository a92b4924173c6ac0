import type { ScaffoldNames } from './names.js';

/** Files of a new plugin by their paths. */
export type Files = Readonly<Record<string, string>>;

/** What plugins in every language have. @param version the running one */
export function commonFiles(names: ScaffoldNames, version: string, extension: 'ts' | 'js'): Files {
  return {
    'plugin.yaml': manifest(names, version),
    'package.json': packageJson(names),
    'extensions/examples.yaml': examples(names),
    [`test/${names.plugin}.test.js`]: test(names),
    'README.md': readme(names, extension),
  };
}

function manifest({ plugin, kind, plural }: ScaffoldNames, version: string): string {
  return `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: ${plugin}
spec:
  displayName: ${kind}
  description: Stores ${plural}, counts their words, and serves a summary of each.
  version: 1.0.0
  requires: '>=${version}'
`;
}

function packageJson({ plugin }: ScaffoldNames): string {
  const content = {
    name: plugin,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: { start: 'xsvc serve --plugins .', test: 'node --test' },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function examples({ group, kind, singular }: ScaffoldNames): string {
  return `# Created at the first start and overwritten at each later one: nothing that people edit belongs here.
# Keys of labels and annotations need the prefix of a domain of yours.
apiVersion: ${group}/v1alpha1
kind: ${kind}
metadata:
  name: example-${singular}
  labels:
    ${group}/origin: plugin
spec:
  title: An example
  text: Four words of text.
  tags: [example]
`;
}

function test({ plugin, group, kind, plural, singular }: ScaffoldNames): string {
  return `// Starts the service with this plugin alone, on a store of its own, and looks at it as clients do.
// The command \`xsvc\` must be on the PATH; the variable XSVC names another one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const PLUGIN = path.resolve(import.meta.dirname, '..');
const OBJECTS = '/apis/${group}/v1alpha1/${plural}';

let directory;
let daemon;
let url;

before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), '${plugin}-'));
  const flags = ['--port', '0', '--data-dir', path.join(directory, 'data'), '--plugins', PLUGIN, '--strict'];
  daemon = spawn(process.env.XSVC ?? 'xsvc', ['serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((resolve, reject) => {
    let output = '';
    daemon.stdout.on('data', (part) => {
      output += part;
      const found = /listening on (http:\\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
    daemon.on('error', reject);
    daemon.on('exit', (code) => reject(new Error(\`the service ended with \${code}\`)));
  });
});

after(async () => {
  if (daemon?.exitCode === null) {
    const exited = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill();
    await exited;
  }
  await rm(directory, { recursive: true, force: true });
});

async function send(method, target, body) {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const answer = await fetch(url + target, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/** Asks again until it is so. */
async function eventually(target, isSo) {
  for (let i = 0; i < 200; i += 1) {
    const { body } = await send('GET', target);
    if (isSo(body)) return body;
    await sleep(25);
  }
  throw new Error(\`\${target} did not come to what was waited for\`);
}

test('the example is there, and its words are counted', async () => {
  const found = await eventually(\`\${OBJECTS}/example-${singular}\`, ({ status }) => status?.phase === 'Ready');
  assert.equal(found.status.words, 4);
});

test('objects are found by title and by tag', async () => {
  const spec = { title: 'Second', text: 'one two', tags: ['a', 'b'] };
  const created = await send('POST', OBJECTS, { kind: '${kind}', metadata: { name: 'second' }, spec });
  assert.equal(created.status, 201);
  for (const selector of ['spec.title=Second', 'spec.tags=b']) {
    const { body } = await send('GET', \`\${OBJECTS}?fieldSelector=\${encodeURIComponent(selector)}\`);
    assert.deepEqual(
      body.items.map(({ metadata }) => metadata.name),
      ['second'],
    );
  }
});

test('an object without a title is refused', async () => {
  const { status, body } = await send('POST', OBJECTS, { metadata: { name: 'untitled' }, spec: {} });
  assert.equal(status, 422);
  assert.equal(body.details.causes[0].field, 'spec.title');
});

test('the endpoint answers with a summary', async () => {
  const target = '/apis/api.${group}/v1alpha1/${plural}/example-${singular}/summary';
  assert.deepEqual((await send('GET', target)).body, { title: 'An example', words: 4 });
  assert.equal((await send('GET', target.replace('example-', 'no-'))).status, 404);
});
`;
}

function readme({ plugin, group, kind, plural, file }: ScaffoldNames, extension: 'ts' | 'js'): string {
  const map =
    extension === 'ts'
      ? `| \`index.ts\` | the main module: registers the model and its indexes, exports the rest |
| \`${file}.ts\` | the model: its fields, and what they may hold |
| \`${file}-reconciler.ts\` | the controller: keeps \`status\` true |
| \`${file}-endpoint.ts\` | an endpoint beyond create, read, update and delete |`
      : `| \`index.js\` | the model and its indexes, the controller that keeps \`status\` true, and an endpoint |`;
  return `# ${plugin}

A plugin for xsvc. It declares the model ${kind} (\`${plural}.${group}\`).

\`\`\`sh
xsvc serve --plugins .        # no build step; --watch loads changed files anew
xsvc get ${plural} --server http://127.0.0.1:8090
curl http://127.0.0.1:8090/apis/api.${group}/v1alpha1/${plural}/example-${file.replaceAll('-', '')}/summary
node --test                   # starts the service with this plugin, and asks it
\`\`\`

| file | |
|---|---|
| \`plugin.yaml\` | who the plugin is |
${map}
| \`extensions/\` | objects that every start creates or overwrites |
| \`test/\` | what the plugin does, seen from outside |
`;
}
