import { developmentRanges, ownVersion } from '../../version.js';
import type { Files } from './files.js';
import type { ScaffoldNames } from './names.js';

/** The files of plugins in every language. */
export function commonFiles(names: ScaffoldNames, extension: 'ts' | 'js'): Files {
  return {
    'plugin.yaml': manifest(names, ownVersion()),
    'package.json': packageJson(names, extension),
    '.gitignore': 'node_modules/\n.xsvc/\n',
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

function packageJson({ plugin }: ScaffoldNames, extension: 'ts' | 'js'): string {
  const { typescript, xsvc } = developmentRanges();
  const isTyped = extension === 'ts';
  const content = {
    name: plugin,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'xsvc serve --plugins .',
      test: 'node --test',
      ...(isTyped && { types: 'tsc --noEmit' }),
    },
    // The service provides its own modules to a plugin: these are for tests and editors.
    devDependencies: { ...(isTyped && { typescript }), xsvc },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function examples({ group, kind, singular }: ScaffoldNames): string {
  return `# Created at the first start and overwritten at each later one: do not put objects here that users edit.
# Keys of labels and annotations need the prefix of a domain that you own.
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

function test({ group, kind, plural, singular }: ScaffoldNames): string {
  return `// Runs the plugin in this process on a temporary store, and uses it like a client.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from 'xsvc/testing';

const service = await startTestService({ plugins: [new URL('..', import.meta.url)] });
after(() => service.close());

const MODEL = { group: '${group}', version: 'v1alpha1', kind: '${kind}' };
const OBJECTS = '/apis/${group}/v1alpha1/${plural}';

test('the example exists, and its words are counted', async () => {
  await service.controllersSettled();
  const { status } = await service.client.get(MODEL, 'example-${singular}');
  assert.deepEqual(status, { phase: 'Ready', words: 4 });
});

test('objects are found by title and by tag', async () => {
  const spec = { title: 'Second', text: 'one two', tags: ['a', 'b'] };
  await service.client.create(MODEL, { metadata: { name: 'second' }, spec });
  for (const fieldSelector of ['spec.title=Second', 'spec.tags=b'])
    assert.deepEqual(await service.client.listNames(MODEL, { fieldSelector }), ['second']);
});

test('an object without a title is refused', async () => {
  const json = { metadata: { name: 'untitled' }, spec: {} };
  const answer = await service.fetch(OBJECTS, { method: 'POST', json });
  assert.equal(answer.status, 422);
  assert.equal((await answer.json()).details.causes[0].field, 'spec.title');
});

test('the endpoint answers with a summary', async () => {
  await service.controllersSettled();
  const target = '/apis/api.${group}/v1alpha1/${plural}/example-${singular}/summary';
  assert.deepEqual(await (await service.fetch(target)).json(), { title: 'An example', words: 4 });
  assert.equal((await service.fetch(target.replace('example-', 'no-'))).status, 404);
});
`;
}

function readme({ plugin, group, kind, plural, file }: ScaffoldNames, extension: 'ts' | 'js'): string {
  const map =
    extension === 'ts'
      ? `| \`index.ts\` | the main module: registers the model and its indexes, exports the rest |
| \`${file}.ts\` | the model: its fields, and what they may hold |
| \`${file}-reconciler.ts\` | the controller: keeps \`status\` up to date |
| \`${file}-endpoint.ts\` | an endpoint besides create, read, update and delete |`
      : `| \`index.js\` | the model and its indexes, the controller that keeps \`status\` up to date, and an endpoint |`;
  return `# ${plugin}

A plugin for xsvc. It declares the model ${kind} (\`${plural}.${group}\`).

\`\`\`sh
npm install                   # xsvc and the compiler, for tests and editors; not needed where a parent directory has them
npx xsvc serve --plugins .    # no build step; --watch reloads changed files
npx xsvc get ${plural} --server http://127.0.0.1:8090
curl http://127.0.0.1:8090/apis/api.${group}/v1alpha1/${plural}/example-${file.replaceAll('-', '')}/summary
npm test                      # runs the plugin on a temporary store, and tests it
${extension === 'ts' ? 'npm run types                 # checks the types\n' : ''}\`\`\`

| file | |
|---|---|
| \`plugin.yaml\` | name and version of the plugin |
${map}
| \`extensions/\` | objects that every start creates or overwrites |
| \`test/\` | tests of the plugin through its API |
`;
}
