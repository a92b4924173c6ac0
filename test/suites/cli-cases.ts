import { PERSON_REF } from '../helpers/http.js';
import { EDIT_CASES } from './cli-edit-cases.js';
import { documents, manifest, PEOPLE, person, type CliCase } from './cli-fixtures.js';
import { HISTORY_CASES } from './cli-history-cases.js';
import { LOOK_CASES } from './cli-look-cases.js';
import { OUTPUT_CASES } from './cli-output-cases.js';
import { PRUNE_CASES } from './cli-prune-cases.js';
import { WRITE_CASES } from './cli-write-cases.js';

const SAME = 'persons/ann unchanged\n';

const APPLY: readonly CliCase[] = [
  {
    title: 'apply creates, finds nothing to do, and changes what the file states',
    files: { 'a.yaml': documents(manifest('ann'), manifest('bob')), 'b.yaml': manifest('ann', 'name: Ann') },
    steps: [
      { argv: 'apply -f a.yaml', out: 'persons/ann created\npersons/bob created\n' },
      { argv: 'apply -f a.yaml', out: 'persons/ann unchanged\npersons/bob unchanged\n' },
      { argv: 'apply -f b.yaml', out: 'persons/ann configured\n' },
      {
        argv: 'get person ann -o json',
        json: { metadata: { version: 1, generation: 2 }, spec: { name: 'Ann' } },
      },
    ],
  },
  {
    title: 'apply removes what the file no longer states, and keeps what others set',
    files: {
      'a.yaml': manifest('ann', 'name: Ann', 'age: 3', 'tags: [x]', 'address: { city: Rome, street: Way }'),
      'b.yaml': manifest('ann', 'name: Ann', 'address: { city: Rome }'),
    },
    steps: [
      { argv: 'apply -f a.yaml', out: 'persons/ann created\n' },
      {
        argv: 'apply -f -',
        // As somebody else would: with no trace in the annotation that apply keeps.
        stdin: manifest('bob', 'name: Bob'),
        out: 'persons/bob created\n',
      },
      { argv: 'apply -f b.yaml', out: 'persons/ann configured\n' },
      { argv: 'get person ann -o json', json: { spec: { name: 'Ann', address: { city: 'Rome' } } } },
      { argv: 'get person ann -o yaml', out: [/^(?!.*^ +(age|tags|street):)/ms, /^spec:\n {2}name: Ann\n/m] },
      { argv: 'apply -f b.yaml', out: SAME },
    ],
  },
  {
    title: 'apply leaves alone the fields, labels and the status that others set',
    files: { 'a.yaml': manifest('ann', 'name: Ann') },
    given: [
      person('ann', { age: 7, name: 'Old' }, { labels: { team: 'red' }, finalizers: ['example.com/hold'] }),
    ],
    before: (verbs) => verbs.update(PERSON_REF, 'ann', { status: { phase: 'Ready' } }, {}, 'status'),
    steps: [
      { argv: 'apply -f a.yaml', out: 'persons/ann configured\n' },
      { argv: 'apply -f a.yaml', out: SAME },
      {
        argv: 'get person ann -o json',
        json: {
          metadata: { labels: { team: 'red' }, finalizers: ['example.com/hold'] },
          spec: { name: 'Ann', age: 7 },
          status: { phase: 'Ready' },
        },
      },
    ],
  },
  {
    title: 'apply --dry-run says what would happen, and writes nothing',
    files: { 'a.yaml': documents(manifest('ann', 'name: New'), manifest('dan')) },
    given: [person('ann')],
    steps: [
      {
        argv: 'apply -f a.yaml --dry-run',
        out: 'persons/ann configured (dry run)\npersons/dan created (dry run)\n',
      },
      { argv: 'get persons -o name', out: 'persons/ann\n' },
      { argv: 'get person ann -o json', json: { metadata: { version: 0 }, spec: { name: 'ANN' } } },
    ],
  },
  {
    title: 'apply --atomic writes all or nothing, and tells every fault with its line',
    files: {
      'a.yaml': documents(manifest('ann'), manifest('bob', 'nmae: B'), manifest('cy', 'name: C', 'age: 151')),
    },
    steps: [
      {
        argv: 'apply -f a.yaml --atomic',
        code: 5,
        out: '',
        err: [
          /^error: a\.yaml:12: spec\.name /m,
          /^a\.yaml:13: spec\.nmae unknown field, did you mean "name"\?$/m,
          /^error: a\.yaml:21: spec\.age /m,
          /^nothing was written: all objects are written in one commit$/m,
        ],
      },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
    ],
  },
  {
    title: 'apply is atomic by default',
    files: { 'a.yaml': documents(manifest('ann'), manifest('bob'), manifest('cy', 'age: 1')) },
    steps: [
      { argv: 'apply -f a.yaml', code: 5, out: '', err: /a\.yaml:19: spec\.name/ },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
      { argv: 'apply -f a.yaml --no-atomic', code: 5, out: 'persons/ann created\npersons/bob created\n' },
    ],
  },
  {
    title: 'apply --no-atomic goes on after a failure, and fails in the end',
    files: { 'a.yaml': documents(manifest('ann'), manifest('bob', 'age: 1'), manifest('cy')) },
    steps: [
      {
        argv: 'apply -f a.yaml --no-atomic',
        code: 5,
        out: 'persons/ann created\npersons/cy created\n',
        err: /^error: a\.yaml:12: spec\.name /,
      },
      { argv: 'get persons -o name', out: 'persons/ann\npersons/cy\n' },
    ],
  },
  {
    title: 'apply --validate decides about fields that no schema declares',
    files: { 'a.yaml': manifest('ann', 'name: Ann', 'shoes: 42') },
    steps: [
      { argv: 'apply -f a.yaml', code: 5, out: '', err: /^error: a\.yaml:7: spec\.shoes unknown field/ },
      { argv: 'apply -f a.yaml --validate=strict', code: 5 },
      {
        argv: 'apply -f a.yaml --validate=warn --dry-run',
        out: 'persons/ann created (dry run)\n',
        err: 'warning: persons/ann: unknown field "spec.shoes"\n',
      },
      { argv: 'apply -f a.yaml --validate=ignore', out: 'persons/ann created\n', err: '' },
      { argv: 'apply -f a.yaml --validate=maybe', code: 2, err: /Allowed choices are strict, warn, ignore/ },
    ],
  },
  {
    title: 'apply reads lists, JSON, several documents and standard input',
    files: {
      'list.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${manifest('ann').replace(/\n(?=.)/g, '\n  ')}- ${manifest(
        'bob',
      ).replace(/\n(?=.)/g, '\n  ')}`,
      'one.json': JSON.stringify({
        apiVersion: 'demo.example.com/v1alpha1',
        kind: 'Person',
        metadata: { name: 'cy' },
        spec: { name: 'Cy' },
      }),
    },
    steps: [
      {
        argv: 'apply -f list.yaml -f one.json -f -',
        stdin: documents(manifest('dan'), '# nothing\n', manifest('eve')),
        out: ['ann', 'bob', 'cy', 'dan', 'eve'].map((name) => `persons/${name} created\n`).join(''),
      },
      { argv: 'apply -f -', stdin: '', code: 5, err: 'error: the files contain no manifest\n' },
      { argv: 'apply -f -', stdin: '{"kind": ', code: 5, err: /^error: <stdin>:/ },
    ],
  },
  {
    title: 'apply reads directories, with -R those below, and patterns',
    files: {
      'd/a.yaml': manifest('ann'),
      'd/b.yml': manifest('bob'),
      'd/notes.txt': 'no manifest',
      'd/e/c.yaml': manifest('cy'),
    },
    steps: [
      { argv: 'apply -f d', out: 'persons/ann created\npersons/bob created\n' },
      { argv: 'apply -R -f d', out: 'persons/ann unchanged\npersons/bob unchanged\npersons/cy created\n' },
      { argv: 'apply -f d/**/*.yaml', out: 'persons/ann unchanged\npersons/cy unchanged\n' },
      { argv: 'apply -f x*', code: 2, err: /^error: no file matches x\*/ },
      { argv: 'apply -f x.yaml', code: 2, err: 'error: the file x.yaml does not exist\n' },
    ],
  },
  {
    title: 'apply and create tell all that is wrong at once, beside manifests that cannot be used',
    files: {
      'a.yaml': documents(
        manifest('ann'),
        manifest('bob', 'nmae: B'),
        manifest('cy').replace('Person', 'Persn'),
      ),
    },
    steps: ['apply', 'create', 'apply --atomic=false'].map((verb) => ({
      argv: `${verb} -f a.yaml`,
      code: 5,
      out: '',
      err: [
        /^a\.yaml:13: spec\.nmae unknown field, did you mean "name"\?$/m,
        /^error: a\.yaml:\d+: there is no model Persn of /m,
        /^nothing was written: 2 of the manifests are invalid$/m,
      ],
    })),
  },
  {
    title: 'apply refuses what it cannot use before anything is written, all of it with its place',
    files: {
      'a.yaml': documents(manifest('ann'), manifest('bob')),
      'b.yaml': documents(manifest('ann'), manifest('cy').replace('Person', 'Persn')),
    },
    steps: [
      {
        argv: 'apply -f a.yaml -f b.yaml',
        code: 5,
        out: '',
        err: [
          /^error: b\.yaml:1: persons\/ann is also at a\.yaml:1$/m,
          /^error: b\.yaml:9: there is no model Persn of .*, did you mean "demo\.example\.com\/v1alpha1 Person"\?$/m,
          /^nothing was written: 2 of the manifests are invalid$/m,
        ],
      },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
    ],
  },
  {
    title: 'apply with a version that is not the stored one, or a unique value that is taken, is a conflict',
    files: {
      'lock.yaml': manifest('ann', 'name: New').replace('name: ann', 'name: ann\n  version: 9'),
      'mail.yaml': manifest('dan', 'name: Dan', 'email: bob@example.com'),
    },
    given: PEOPLE,
    steps: [
      { argv: 'apply -f lock.yaml', code: 4, out: '', err: /^error: lock\.yaml:1: Person "ann" .*version/ },
      {
        argv: 'apply -f mail.yaml',
        code: 4,
        out: '',
        err: /^error: mail\.yaml:1: Person "dan": spec\.email/,
      },
    ],
  },
];

const TABLE = `NAME   FULL NAME   YEARS   AGE
ann    ANN         30      AGE
bob    BOB         40      AGE
cy     CY          25      AGE
`;

const GET: readonly CliCase[] = [
  {
    title: 'get and list print the same tables',
    given: PEOPLE,
    steps: [
      { argv: 'get persons', out: TABLE },
      { argv: 'list persons', out: TABLE },
      {
        argv: 'get persons --no-headers',
        out: 'ann   ANN   30   AGE\nbob   BOB   40   AGE\ncy    CY    25   AGE\n',
      },
      {
        argv: 'get persons -o wide',
        out: `NAME   FULL NAME   YEARS   EMAIL             AGE   UPDATED
ann    ANN         30      <none>            AGE   AGE
bob    BOB         40      bob@example.com   AGE   AGE
cy     CY          25      <none>            AGE   AGE
`,
      },
      {
        argv: 'get persons --show-labels -l team',
        out: `NAME   FULL NAME   YEARS   AGE   LABELS
ann    ANN         30      AGE   demo.example.com/floor=2,team=red
bob    BOB         40      AGE   team=blue
`,
      },
      { argv: 'get persons -o name', out: 'persons/ann\npersons/bob\npersons/cy\n' },
    ],
  },
  {
    title: 'get -o json and -o yaml print what a list answers',
    given: [person('ann')],
    steps: [
      {
        argv: 'get persons -o json',
        json: {
          apiVersion: 'demo.example.com/v1alpha1',
          kind: 'PersonList',
          page: 1,
          size: 0,
          total: 1,
          last: true,
        },
      },
      {
        argv: 'get persons -o yaml',
        out: `apiVersion: demo.example.com/v1alpha1
kind: PersonList
metadata:
  resourceVersion: REVISION
page: 1
size: 0
total: 1
totalPages: 1
first: true
last: true
hasNext: false
hasPrevious: false
items:
- apiVersion: demo.example.com/v1alpha1
  kind: Person
  metadata:
    name: ann
    uid: UID
    generation: 1
    version: 0
    resourceVersion: REVISION
    creationTimestamp: 'TIME'
    updateTimestamp: 'TIME'
  spec:
    name: ANN
`,
      },
      { argv: 'get persons -o json -l none', json: { total: 0, items: [] } },
      { argv: 'get persons -o yaml -l none', out: /^items: \[\]\n$/m },
      { argv: 'get persons -o xml', code: 2, err: /Allowed choices are table, wide, json, yaml, name/ },
    ],
  },
  {
    title: 'get selects by labels and fields, and sorts',
    given: PEOPLE,
    steps: [
      { argv: 'get persons -o name -l team=red', out: 'persons/ann\n' },
      { argv: 'get persons -o name -l !team', out: 'persons/cy\n' },
      {
        argv: ['get', 'persons', '-o', 'name', '-l', 'team in (red, blue)'],
        out: 'persons/ann\npersons/bob\n',
      },
      { argv: 'get persons -o name -l team -l team!=red', out: 'persons/bob\n' },
      { argv: 'get persons -o name --field-selector spec.tags=a,spec.age!=30', out: 'persons/cy\n' },
      { argv: 'get persons -o name --field-selector spec.age=(25,40)', out: 'persons/bob\npersons/cy\n' },
      { argv: 'get persons -o name --field-selector spec.age>=30,spec.email', out: 'persons/bob\n' },
      { argv: 'get persons -o name --field-selector !spec.email', out: 'persons/ann\npersons/cy\n' },
      {
        argv: ['get', 'persons', '-o', 'name', '--filter', 'spec.age < 30 || has(spec.email)'],
        out: 'persons/bob\npersons/cy\n',
      },
      {
        argv: ['list', 'persons', '-o', 'name', '--filter', '"b" in spec.tags', '--filter', 'spec.age < 30'],
        out: 'persons/cy\n',
      },
      {
        argv: [
          'get',
          'persons',
          '-o',
          'name',
          '--filter',
          'lower(spec.name) == "Bob" || lower(spec.name).startsWith("C")',
        ],
        out: 'persons/bob\npersons/cy\n',
      },
      {
        argv: ['get', 'persons', '--filter', 'lower(spec.age) == "a"'],
        code: 5,
        err: /lower needs a string field, spec\.age is of type integer, at character 1/,
      },
      { argv: ['get', 'persons', '--filter', 'spec.age = 3'], code: 5, err: /found "=", at character 10/ },
      {
        argv: ['get', 'persons', '--explain', '--filter', '!has(spec.email)'],
        out: /^MATCHES +2: spec\.email is absent$/m,
      },
      { argv: 'get persons -o name --sort spec.age,desc', out: 'persons/bob\npersons/ann\npersons/cy\n' },
      {
        argv: 'get persons -o name --sort spec.email --sort spec.age',
        // Those without an address come first.
        out: 'persons/cy\npersons/ann\npersons/bob\n',
      },
      {
        argv: 'get persons --sort spec.address',
        code: 5,
        out: '',
        err: /spec\.address.*metadata\.name.*spec\.age/s,
      },
      { argv: 'get persons --field-selector spec.age=old', code: 5, err: /old/ },
      { argv: ['get', 'persons', '-l', 'a in ()'], code: 5 },
    ],
  },
  {
    title: 'get --size prints a page, --limit the first of a list',
    given: PEOPLE,
    steps: [
      {
        argv: 'get persons -o name --size 2',
        out: 'persons/ann\npersons/bob\n',
        err: 'page 1 of 2, 3 in all\n',
      },
      { argv: 'get persons -o name --size 2 --page 2', out: 'persons/cy\n', err: 'page 2 of 2, 3 in all\n' },
      { argv: 'get persons -l no=such --size 2', out: '', err: 'no persons found\n' },
      { argv: 'get persons -o name --size 2 --page 9', out: '', err: 'page 9 of 2, 3 in all\n' },
      {
        argv: 'get persons -o json --size 1 --page 2',
        json: { page: 2, total: 3, totalPages: 3, hasNext: true },
      },
      { argv: 'list persons --limit 0', out: TABLE },
      {
        argv: 'get persons -o name --sort spec.age,desc --limit 2',
        out: 'persons/bob\npersons/ann\n',
        err: 'showing 2 of 3\n',
      },
      { argv: 'get persons -o name --limit 500', out: /cy\n$/, err: 'showing 3 of 3\n' },
      { argv: 'list persons --limit 1 -o json', out: /"continue": ?"[^"]/ },
      {
        argv: 'list persons --limit 2 -o yaml',
        out: [/^ {2}continue: /m, /^ {4}name: bob$/m, /^(?!.*name: cy$)/ms],
      },
      { argv: 'list persons --limit 2 -l none', out: '', err: 'no persons found\n' },
      { argv: 'get persons --limit 2 --size 2', code: 2, err: /--limit and --continue or --page and --size/ },
      { argv: 'get persons --limit 2 --page 2', code: 2, err: /--limit and --continue or --page and --size/ },
      { argv: 'get persons --continue x', code: 2, err: /--continue needs --limit/ },
      { argv: 'get persons --limit 2 --continue x', code: 5, err: /continue/ },
      { argv: 'get persons --limit -1', code: 2, err: /must be an integer from 0/ },
    ],
  },
  {
    title: 'get and list count the values of fields among all matches, below the rows and in the list',
    given: PEOPLE,
    steps: [
      {
        argv: 'get persons -o custom-columns=NAME:.metadata.name --facets spec.tags,spec.email --size 1',
        out: `NAME
ann

FACET        VALUE             COUNT
spec.tags    a                 2
spec.tags    b                 1
spec.email   bob@example.com   1
`,
        err: 'page 1 of 3, 3 in all\n',
      },
      {
        argv: [
          'list',
          'persons',
          '--no-headers',
          '--limit',
          '1',
          '--facets',
          'spec.tags',
          '--facet-limit',
          '1',
        ],
        out: /^ann .*\n\nspec\.tags +a +2\n$/,
        err: 'showing 1 of 3\n',
      },
      {
        argv: [
          'get',
          'persons',
          '-l',
          'team=blue',
          '--facets',
          'spec.tags',
          '--facets',
          'metadata.labels["team"]',
        ],
        out: [/^spec\.tags +<none> +0$/m, /^metadata\.labels\["team"\] +blue +1$/m],
      },
      {
        argv: 'get persons --facets spec.age --field-selector spec.age>=30 -o json',
        json: {
          total: 2,
          facets: {
            'spec.age': [
              { value: 30, count: 1 },
              { value: 40, count: 1 },
            ],
          },
        },
      },
      {
        argv: 'list persons --facets spec.tags --facet-limit 1 --limit 1 -o yaml',
        out: [/^facets:\n {2}spec\.tags:\n {4}- value: a\n {6}count: 2\n/m, /^ {4}name: ann$/m],
      },
      {
        argv: 'get persons --facets spec.tags --size 1 -o jsonpath={.facets.spec\\.tags[0].count}',
        out: /^2/,
        err: /.*/s,
      },
      { argv: 'get persons --facets spec.tags -o name', code: 2, err: /-o name does not print facets/ },
      { argv: 'get persons --facet-limit 3', code: 2, err: /--facet-limit needs --facets/ },
      { argv: 'get persons --facets spec.tags --facet-limit 0', code: 2, err: /must be an integer from 1/ },
      { argv: 'get persons ann --facets spec.tags', code: 2, err: /names cannot be combined with selectors/ },
      { argv: 'get persons --facets spec.tags -w', code: 2, err: /--watch cannot be combined with/ },
      { argv: 'get persons --facets spec.address', code: 5, err: /spec\.address/ },
    ],
  },
  {
    title: 'get and list group and sum all matches, below the rows and in the list',
    given: PEOPLE,
    steps: [
      {
        argv: 'get persons -o custom-columns=NAME:.metadata.name --aggregate count,sum(spec.age) --group-by spec.tags --size 1',
        out: `NAME
ann

spec.tags   COUNT   sum(spec.age)
a           2       55
b           1       25
<none>      1       40
`,
        err: 'page 1 of 3, 3 in all\n',
      },
      {
        argv: 'list persons --no-headers --limit 1 --aggregate max(spec.age) --aggregate min(spec.email)',
        out: /^ann .*\n\n3 +40 +bob@example\.com\n$/,
        err: 'showing 1 of 3\n',
      },
      {
        argv: 'get persons --aggregate avg(spec.age) --group-by metadata.labels["team"] --group-limit 1 -o json',
        json: {
          total: 3,
          groups: [{ key: { 'metadata.labels["team"]': 'blue' }, count: 1, 'avg(spec.age)': 40 }],
          groupsTotal: 3,
        },
      },
      {
        argv: 'get persons --aggregate count --group-by spec.age -l team=none',
        out: '',
        err: 'no persons found\n',
      },
      {
        argv: 'get persons --aggregate sum(spec.age) --explain',
        out: /^VALUES +spec\.age: (from memory|read from the index|checked with index records)$/m,
      },
      { argv: 'get persons --aggregate count -o name', code: 2, err: /-o name does not print groups/ },
      { argv: 'get persons --group-by spec.age', code: 2, err: /--group-by needs --aggregate/ },
      {
        argv: 'get persons --aggregate count --group-limit 3',
        code: 2,
        err: /--group-limit needs --group-by/,
      },
      { argv: 'get persons --aggregate count -w', code: 2, err: /--watch cannot be combined with/ },
      { argv: 'get persons ann --aggregate count', code: 2, err: /names cannot be combined with selectors/ },
      { argv: 'get persons --aggregate sum(spec.email)', code: 5, err: /sum needs numbers/ },
    ],
  },
  {
    title: 'get and list explain how a list would be answered, and print none of it',
    given: PEOPLE,
    steps: [
      {
        argv: 'get persons --explain --sort spec.age,desc --size 2',
        out: [
          /^LIST {6}persons\.demo\.example\.com\/v1alpha1$/m,
          /^MATCHES {3}3: every object$/m,
          /^HOW {7}walk: walk the index of the order/m,
          /^ORDER {5}spec\.age desc, the whole order$/m,
          /^READS {5}index entries: \d, index records: 0, objects: 2$/m,
          /^NOT {7}ranks: the order is not in memory/m,
          /^NOT {7}sort \(\d+\): costs more than walk \(\d+\)$/m,
        ],
      },
      {
        argv: 'list persons --explain --field-selector spec.age=30 --sort spec.age --sort spec.email',
        out: [
          /^MATCHES +1: spec\.age = 30$/m,
          /^FILTER +spec\.age = 30: 1, read from the index$/m,
          /^HOW +sort: /m,
          /^ORDER +by sorting, the whole order$/m,
          /^NOT +walk: no single index provides this order$/m,
        ],
      },
      {
        argv: 'get persons --explain -l team=red -o json',
        json: {
          kind: 'ListExplanation',
          resource: 'persons.demo.example.com/v1alpha1',
          total: 1,
          filters: [{ matches: 1 }],
        },
      },
      {
        argv: 'list persons --explain -o yaml --limit 1',
        out: [/^kind: ListExplanation$/m, /^index: metadata\.name$/m, /^total: 3$/m],
      },
      { argv: 'get persons --explain -o name', code: 2, err: /^error: --explain supports only/ },
      { argv: 'get persons ann --explain', code: 2, err: /^error: names cannot be combined/ },
      { argv: 'get persons --explain --sort spec.address', code: 5, out: '', err: /spec\.address/ },
    ],
  },
  {
    title: 'get by name prints those there are, names those missing, and says how to find others',
    given: PEOPLE,
    steps: [
      { argv: 'get person ann -o json', json: { kind: 'Person', metadata: { name: 'ann' } } },
      {
        argv: 'get persons zed bob zoe ann -o name',
        code: 3,
        out: 'persons/bob\npersons/ann\n',
        err: [
          /^error: persons\.demo\.example\.com "zed" not found; run "xsvc list persons" to see what exists$/m,
          /^error: persons\.demo\.example\.com "zoe" not found/m,
        ],
      },
      { argv: 'get persons ann bob -o json', json: { kind: 'PersonList', total: 2 } },
      {
        argv: 'get persons ann -l team=red',
        code: 2,
        err: /^error: names cannot be combined with selectors/,
      },
      { argv: 'get persons ann --limit 1', code: 2 },
      { argv: 'get persons/ann cy', code: 2, err: /not of the form <resource>\/<name>/ },
      { argv: 'list persons ann', code: 2, err: /too many arguments/ },
    ],
  },
  {
    title: 'a resource goes by plural, singular, kind, short name, and each with its group',
    given: [person('ann')],
    steps: [
      ...[
        'persons',
        'person',
        'Person',
        'PERSONS',
        'pe',
        'persons.demo.example.com',
        'pe.v1alpha1.demo.example.com',
      ].map((name) => ({ argv: `get ${name} -o name`, out: 'persons/ann\n' })),
      {
        argv: 'get pets',
        code: 5,
        err: /"pets" is ambiguous; use one of pets\.farm\.example\.com, pets\.home\.example\.com/,
      },
      { argv: 'get pets.farm.example.com', out: '', err: 'no pets found\n' },
      {
        argv: 'get prsons',
        code: 3,
        err: 'error: there is no resource named "prsons", did you mean "persons"?\n',
      },
      { argv: 'get persons.other.example.com', code: 3 },
    ],
  },
];

const DELETE: readonly CliCase[] = [
  {
    title: 'delete takes names, files and selectors, never all by accident',
    files: { 'a.yaml': documents(manifest('ann'), manifest('gone')) },
    given: [...PEOPLE, person('dan'), person('eve')],
    steps: [
      { argv: 'delete persons', code: 2, err: /^error: delete needs names, a selector/ },
      { argv: 'delete', code: 2 },
      { argv: 'delete persons dan -l team', code: 2 },
      { argv: ['delete', 'persons', '-l', ''], code: 2, err: /^error: -l is empty/ },
      { argv: 'delete persons --field-selector=', code: 2, err: /--field-selector is empty/ },
      { argv: 'delete persons --filter=', code: 2, err: /--filter is empty/ },
      { argv: ['delete', 'persons', 'dan', '--filter', 'true'], code: 2 },
      { argv: 'delete persons dan --dry-run', out: 'persons/dan deleted (dry run)\n' },
      { argv: 'delete person/dan pe/eve', out: 'persons/dan deleted\npersons/eve deleted\n' },
      { argv: 'delete -f a.yaml', code: 3, out: 'persons/ann deleted\n', err: /"gone" not found/ },
      { argv: 'delete -f a.yaml --ignore-not-found', out: '', err: '' },
      {
        argv: 'delete persons no1 no2 no3',
        code: 3,
        err: /^error: .*"no1" not found.*\n {2}and 2 more with the same error: persons\/no2, persons\/no3\n$/,
      },
      { argv: 'delete persons -l team', out: 'persons/bob deleted\n' },
      { argv: 'delete persons -l team', out: '', err: 'no object matches\n' },
      {
        argv: ['delete', 'persons', '--filter', 'spec.age < 20 || "nothing" in spec.tags'],
        out: '',
        err: 'no object matches\n',
      },
      { argv: ['delete', 'persons', '--filter', 'spec.age == 25'], out: 'persons/cy deleted\n' },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
    ],
  },
  {
    title: 'delete --all takes every object of the resource, and -o name prints nothing but names',
    given: [person('ann'), person('bob')],
    steps: [
      { argv: 'delete persons ann --all', code: 2, err: /names cannot be combined with selectors or --all/ },
      { argv: 'delete persons --all -o name', out: 'persons/ann\npersons/bob\n', err: '' },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
    ],
  },
  {
    title: 'delete of an object with finalizers says what it waits for',
    given: [person('ann', {}, { finalizers: ['example.com/a', 'example.com/b'] })],
    steps: [
      {
        argv: 'delete person ann',
        out: 'persons/ann marked for deletion, waiting for finalizers: example.com/a, example.com/b\n',
      },
      { argv: 'get person ann -o yaml', out: /^ {2}deletionTimestamp: 'TIME'$/m },
      { argv: 'delete person ann', out: /waiting for finalizers/ },
    ],
  },
];

const USAGE: readonly CliCase[] = [
  {
    title: 'a message about a mistake in the command line says what was meant',
    steps: [
      { argv: 'gte persons', code: 2, out: '', err: /unknown command 'gte'\n\(Did you mean get\?\)/ },
      { argv: 'get persons --selectr a=b', code: 2, err: /Did you mean --selector\?/ },
      { argv: 'get', code: 2, err: 'error: get needs a resource, such as persons, or -f with a file\n' },
      { argv: 'apply', code: 2, err: 'error: apply needs -f with a file, a directory, a glob, or -\n' },
      { argv: [], code: 2, err: /^Usage: xsvc/ },
      { argv: '--help', out: /^Usage: xsvc \[options\] \[command\]/ },
      { argv: 'get --help', out: [/^Usage: xsvc get/, /Examples:\n {2}xsvc get persons/] },
    ],
  },
  {
    title: 'no output has colours where there is no terminal',
    given: [person('ann')],
    steps: [
      // eslint-disable-next-line no-control-regex -- that is what is looked for
      { argv: 'get persons', out: /^[^\u001b]+$/ },
      // eslint-disable-next-line no-control-regex -- that is what is looked for
      { argv: 'get persons zed', env: { NO_COLOR: '1' }, code: 3, err: /^[^\u001b]+$/ },
    ],
  },
  {
    title: 'version prints that of the program',
    only: 'store',
    steps: [{ argv: 'version', out: /^xsvc \d+\.\d+\.\d+\n$/ }],
  },
  {
    title: 'version prints that of the server too',
    only: 'http',
    steps: [
      { argv: 'version', out: /^xsvc \d+\.\d+\.\d+\nserver \d+\.\d+\.\d+ \(http:\/\/127\.0\.0\.1:\d+\)\n$/ },
    ],
  },
  {
    title: 'check compares what the store holds',
    given: PEOPLE,
    steps: [{ argv: 'check', out: '', err: /^the store is consistent: \d+ objects of \d+ models\n$/ }],
  },
  {
    title: 'check --schema does not look into a server',
    only: 'http',
    steps: [
      {
        argv: 'check --schema',
        code: 2,
        err: /^error: check --schema works on a store, not on a server; use --data-dir/,
      },
    ],
  },
];

/** Cases of the command line that give the same on a store and over HTTP. */
export const CLI_CASES: readonly CliCase[] = [
  ...APPLY,
  ...GET,
  ...DELETE,
  ...USAGE,
  ...WRITE_CASES,
  ...OUTPUT_CASES,
  ...PRUNE_CASES,
  ...EDIT_CASES,
  ...LOOK_CASES,
  ...HISTORY_CASES,
];
