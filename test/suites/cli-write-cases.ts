import { PERSON_REF } from '../helpers/http.js';
import { documents, manifest, PEOPLE, person, type CliCase } from './cli-fixtures.js';

const GENERATED = manifest('x', 'name: Job').replace('name: x', 'generateName: job-');

const CREATE: readonly CliCase[] = [
  {
    title: 'create makes what files state, and goes on where something is there already',
    files: { 'a.yaml': documents(manifest('ann'), manifest('bob'), manifest('cy')) },
    given: [person('bob')],
    steps: [
      {
        argv: 'create -f a.yaml --dry-run',
        code: 4,
        out: 'persons/ann created (dry run)\npersons/cy created (dry run)\n',
        err: 'error: a.yaml:8: persons.demo.example.com "bob" already exists\n',
      },
      {
        argv: 'create -f a.yaml',
        code: 4,
        out: 'persons/ann created\npersons/cy created\n',
        err: 'error: a.yaml:8: persons.demo.example.com "bob" already exists\n',
      },
      { argv: 'create', code: 2, err: 'error: create needs -f with a file, a directory, a glob, or -\n' },
      { argv: 'create -f -', stdin: '', code: 5, err: 'error: the files contain no manifest\n' },
    ],
  },
  {
    title: 'create makes up names from generateName, and prints objects as -o says',
    files: { 'job.yaml': documents(GENERATED, GENERATED) },
    steps: [
      { argv: 'create -f job.yaml -o name', out: /^persons\/job-[a-z0-9]{5,}\npersons\/job-[a-z0-9]{5,}\n$/ },
      {
        argv: 'create -f - -o json',
        stdin: manifest('ann'),
        json: { kind: 'Person', metadata: { name: 'ann', version: 0 }, spec: { name: 'ann' } },
      },
      { argv: ['create', '-f', '-', '-o', 'jsonpath={.metadata.name}'], stdin: manifest('cy'), out: 'cy' },
      {
        argv: 'create -f - -o table',
        stdin: manifest('dan'),
        code: 2,
        err: /^error: -o table is only for reading commands/,
      },
      { argv: 'create -f - -o yaml', stdin: manifest('bob'), out: /^apiVersion: .*\nkind: Person\n/ },
      {
        argv: 'apply -f job.yaml',
        code: 5,
        err: /^error: job\.yaml:3: metadata\.name is missing; generateName works only with create$/m,
      },
    ],
  },
  {
    title: 'create tells every fault with its place, and the largest class wins',
    files: { 'a.yaml': documents(manifest('ann'), manifest('bob', 'name: B', 'age: 200'), manifest('cy')) },
    given: [person('ann')],
    steps: [
      {
        argv: 'create -f a.yaml',
        code: 5,
        out: 'persons/cy created\n',
        err: [
          /^error: a\.yaml:1: persons\.demo\.example\.com "ann" already exists$/m,
          /^error: a\.yaml:14: spec\.age must be <= 150/m,
        ],
      },
      {
        argv: 'create -f - --validate=warn',
        stdin: manifest('dan', 'name: D', 'shoes: 42'),
        out: 'persons/dan created\n',
        err: 'warning: persons/dan: unknown field "spec.shoes"\n',
      },
    ],
  },
];

const PATCH: readonly CliCase[] = [
  {
    title: 'patch changes fields by a merge patch or a JSON patch, in JSON or YAML',
    files: { 'p.yaml': 'spec:\n  age: 33\n' },
    given: PEOPLE,
    steps: [
      { argv: ['patch', 'persons', 'ann', '-p', '{"spec":{"age":31}}'], out: 'persons/ann patched\n' },
      {
        argv: ['patch', 'persons', 'ann', '-p', '{"spec":{"age":31}}'],
        out: 'persons/ann patched (no change)\n',
      },
      { argv: ['patch', 'person/ann', '-p', 'spec: { age: null }'], out: 'persons/ann patched\n' },
      {
        argv: [
          'patch',
          'persons',
          'ann',
          '--type',
          'json',
          '-p',
          '[{"op":"add","path":"/spec/tags/-","value":"z"}]',
        ],
        out: 'persons/ann patched\n',
      },
      { argv: 'get person ann -o json', json: { spec: { name: 'ANN', tags: ['a', 'z'] } } },
      { argv: 'patch persons bob --patch-file p.yaml --dry-run', out: 'persons/bob patched (dry run)\n' },
      { argv: 'patch persons bob --patch-file p.yaml -o json', json: { spec: { age: 33 } } },
      { argv: 'patch persons cy --patch-file -', stdin: '{"spec":{"age":1}}', out: 'persons/cy patched\n' },
    ],
  },
  {
    title: 'patch --subresource status writes nothing but the status',
    given: [person('ann')],
    steps: [
      {
        argv: [
          'patch',
          'persons',
          'ann',
          '--subresource',
          'status',
          '-p',
          '{"status":{"phase":"Ready"},"spec":{"age":9}}',
        ],
        out: 'persons/ann patched\n',
      },
      { argv: 'get person ann -o json', json: { status: { phase: 'Ready' }, spec: { name: 'ANN' } } },
    ],
  },
  {
    title: 'patch says what is wrong with a command line, a patch, or its result',
    given: [person('ann')],
    steps: [
      { argv: 'patch persons ann', code: 2, err: /^error: patch needs either -p/ },
      { argv: 'patch persons -p {}', code: 2, err: 'error: patch needs the name of an object\n' },
      { argv: 'patch persons ann -p {} --type strategic', code: 2, err: /Allowed choices are merge, json/ },
      { argv: 'patch persons ann -p [', code: 5, err: /^error: -p:1:/ },
      { argv: 'patch persons ann -p [] ', code: 5, err: /must be an object/ },
      { argv: 'patch persons ann --type json -p {}', code: 5, err: /must be a list of operations/ },
      { argv: 'patch persons zed -p {}', code: 3, err: /"zed" not found/ },
      { argv: ['patch', 'persons', 'ann', '-p', '{"spec":{"age":-1}}'], code: 5, err: /spec\.age/ },
      { argv: ['patch', 'persons', 'ann', '-p', '{"spec":{"agee":1}}'], code: 5, err: /did you mean "age"/ },
      {
        argv: ['patch', 'persons', 'ann', '-p', '{"metadata":{"resourceVersion":"999999"}}'],
        code: 4,
        err: /was changed: metadata\.resourceVersion is/,
      },
    ],
  },
];

const LABEL: readonly CliCase[] = [
  {
    title: 'label sets and removes labels, and replaces values only on request',
    given: PEOPLE,
    steps: [
      { argv: 'label persons cy team=red', out: 'persons/cy labeled\n' },
      { argv: 'label persons cy team=red', out: 'persons/cy not labeled\n' },
      {
        argv: 'label persons ann bob team=blue',
        code: 4,
        out: 'persons/bob not labeled\n',
        err: 'error: persons/ann: the label team is already "red"; use --overwrite to replace it\n',
      },
      {
        argv: 'label persons ann bob team=blue --overwrite --dry-run',
        out: 'persons/ann labeled (dry run)\npersons/bob not labeled (dry run)\n',
      },
      {
        argv: 'label persons/ann team=blue demo.example.com/floor- --overwrite',
        out: 'persons/ann labeled\n',
      },
      { argv: 'label persons ann --list', out: 'team=blue\n' },
      {
        argv: 'label persons -l team=red team- other-',
        out: 'persons/cy unlabeled\n',
        err: 'persons/cy has no label other\n',
      },
      {
        argv: 'label persons --all shift=late',
        out: 'persons/ann labeled\npersons/bob labeled\npersons/cy labeled\n',
      },
      { argv: 'get persons -l shift=late -o name', out: 'persons/ann\npersons/bob\npersons/cy\n' },
      { argv: 'label persons cy x=1 -o json', json: { metadata: { labels: { shift: 'late', x: '1' } } } },
    ],
  },
  {
    title: 'label refuses what it cannot read, and tells each failure of several objects',
    given: PEOPLE,
    steps: [
      { argv: 'label persons ann', code: 2, err: /^error: label needs <key>=<value>/ },
      { argv: 'label persons a=1', code: 2, err: /^error: label needs names, a selector/ },
      { argv: 'label persons ann a=1 bob', code: 2, err: /^error: "bob": put names before/ },
      { argv: 'label persons ann a=1 a-', code: 2, err: 'error: the label a is named twice\n' },
      { argv: 'label persons ann =1', code: 2, err: /has no key/ },
      {
        argv: 'label persons ann --all a=1',
        code: 2,
        err: 'error: names cannot be combined with selectors or --all\n',
      },
      { argv: ['label', 'persons', 'ann', 'bob', 'a=not valid'], code: 5, err: /metadata\.labels\.a/ },
      { argv: 'label persons ann zed a=1', code: 3, out: 'persons/ann labeled\n', err: /"zed" not found/ },
      { argv: 'label persons -l none a=1', out: '', err: 'no object matches\n' },
      {
        argv: 'label persons ann b=1 --resource-version 1',
        code: 4,
        err: /was changed: metadata\.resourceVersion/,
      },
    ],
  },
  {
    title: 'annotate sets and removes annotations, also of what files name',
    files: { 'a.yaml': manifest('ann') },
    given: PEOPLE,
    steps: [
      {
        argv: ['annotate', '-f', 'a.yaml', 'demo.example.com/note=two words'],
        out: 'persons/ann annotated\n',
      },
      { argv: 'annotate persons ann --list', out: 'demo.example.com/note=two words\n' },
      { argv: 'annotate persons ann demo.example.com/note=x', code: 4, err: /use --overwrite to replace it/ },
      { argv: 'annotate persons ann demo.example.com/note-', out: 'persons/ann annotated\n' },
      { argv: 'annotate persons ann bob --list', out: 'persons/ann:\npersons/bob:\n' },
    ],
  },
];

const KUBECTL_DIFF = `--- persons/ann (live)
+++ persons/ann (a.yaml:1)
@@ -3,5 +3,5 @@
 metadata:
   name: ann
 spec:
-  name: Ann
-  age: 30
+  name: Anna
+  gender: FEMALE
--- /dev/null
+++ persons/dan (a.yaml:9)
@@ -0,0 +1,6 @@
+apiVersion: demo.example.com/v1alpha1
+kind: Person
+metadata:
+  name: dan
+spec:
+  name: dan
`;

const DIFF: readonly CliCase[] = [
  {
    title: 'diff prints what apply would change, and says so by its exit code',
    files: {
      'old.yaml': manifest('ann', 'name: Ann', 'age: 30'),
      'a.yaml': documents(manifest('ann', 'name: Anna', 'gender: FEMALE'), manifest('dan')),
    },
    steps: [
      { argv: 'apply -f old.yaml', out: 'persons/ann created\n' },
      { argv: 'diff -f old.yaml', out: '', err: '' },
      { argv: 'diff -f a.yaml', code: 10, out: KUBECTL_DIFF, err: '' },
      { argv: 'get persons -o name', out: 'persons/ann\n' },
      { argv: 'apply -f a.yaml', out: 'persons/ann configured\npersons/dan created\n' },
      { argv: 'diff -f a.yaml', out: '' },
    ],
  },
  {
    title: 'diff fails with the class of what apply would fail with',
    files: {
      'bad.yaml': documents(manifest('bob', 'age: 1'), manifest('dan')),
      'lock.yaml': manifest('ann', 'name: New').replace('name: ann', 'name: ann\n  version: 9'),
    },
    given: [person('ann')],
    steps: [
      {
        argv: 'diff -f bad.yaml',
        code: 5,
        out: /^\+\+\+ persons\/dan/m,
        err: /^error: bad\.yaml:5: spec\.name /,
      },
      { argv: 'diff -f lock.yaml', code: 4, out: '', err: /^error: lock\.yaml:1: Person "ann" .*version/ },
      { argv: 'diff -f lock.yaml --force-conflicts', code: 10, out: /^\+ {2}name: New$/m },
      { argv: 'diff', code: 2, err: /^error: diff needs -f/ },
    ],
  },
];

const WAIT: readonly CliCase[] = [
  {
    title: 'wait looks at objects, and says which did not get there in time',
    given: [person('ann'), person('bob', {}, { labels: { team: 'blue' } })],
    before: async (verbs) => {
      const conditions = [{ type: 'Ready', status: 'True' }];
      await verbs.patch(PERSON_REF, 'ann', { status: { phase: 'Ready', conditions } }, 'merge', {
        fieldValidation: 'Ignore',
      });
    },
    steps: [
      { argv: 'wait persons ann --for=condition=ready', out: 'persons/ann condition met\n' },
      { argv: 'wait persons/ann --for condition=Ready=true -o name', out: 'persons/ann\n' },
      { argv: ['wait', 'persons', 'ann', '--for', 'jsonpath={.status.phase}=Ready'], out: /condition met/ },
      { argv: ['wait', 'persons', 'ann', '--for=jsonpath=.status.phase'], out: /condition met/ },
      { argv: 'wait persons zed --for=delete', out: 'persons/zed condition met\n' },
      { argv: 'wait persons -l none --for=delete', out: '' },
      { argv: 'wait persons ann --for=create', out: 'persons/ann condition met\n' },
      {
        argv: 'wait persons --all --for=condition=Ready --timeout 0',
        code: 1,
        out: 'persons/ann condition met\n',
        err: 'error: timed out waiting for the condition on persons/bob\n',
      },
      {
        argv: 'wait persons -l team=blue --for=delete --timeout 50ms',
        code: 1,
        out: '',
        err: 'error: timed out waiting for the condition on persons/bob\n',
      },
      {
        argv: 'wait persons zed ann --for=condition=Ready',
        code: 3,
        out: /ann/,
        err: 'error: persons/zed not found\n',
      },
      { argv: 'wait persons -l none --for=condition=Ready', code: 3, err: /no object matches/ },
    ],
  },
  {
    title: 'wait says what it can wait for',
    steps: [
      { argv: 'wait persons ann', code: 2, err: /required option '--for <what>' not specified/ },
      {
        argv: 'wait persons ann --for=ready',
        code: 2,
        err: /--for does not support "ready"; use delete/,
      },
      { argv: 'wait persons ann --for=condition=', code: 2 },
      { argv: 'wait persons ann --for=condition=a=b=c', code: 2 },
      { argv: ['wait', 'persons', 'ann', '--for=jsonpath={.a}b'], code: 2 },
      { argv: 'wait persons --all --for=create', code: 2, err: /--for=create needs names/ },
      { argv: 'wait persons --for=delete', code: 2, err: /^error: wait needs names/ },
      {
        argv: 'wait persons ann --for=delete --timeout soon',
        code: 2,
        err: /--timeout: "soon" is not a duration/,
      },
    ],
  },
];

/** Commands that write, and those that wait for writes. */
export const WRITE_CASES: readonly CliCase[] = [...CREATE, ...PATCH, ...LABEL, ...DIFF, ...WAIT];
