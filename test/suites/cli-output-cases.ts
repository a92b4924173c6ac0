import type { ObjectDraft } from '../../src/model/object.js';
import { PERSON_REF } from '../helpers/http.js';
import { documents, manifest, PEOPLE, person, type CliCase } from './cli-fixtures.js';

const KIND = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };

/** A person that names owners by uids of another store. */
function owned(name: string, ...owners: readonly string[]): ObjectDraft {
  const ownerReferences = owners.map((owner) => ({ ...KIND, name: owner, uid: `uid-of-${owner}` }));
  return person(name, {}, { ownerReferences });
}

const FORMATS: readonly CliCase[] = [
  {
    title: 'jsonpath prints fields of an object, a list, and objects by name',
    given: PEOPLE,
    files: { 'names.txt': '{range .items[*]}{.metadata.name}={.spec.age}{"\\n"}{end}' },
    steps: [
      { argv: ['get', 'person', 'ann', '-o', 'jsonpath={.spec.name}'], out: 'ANN' },
      { argv: ['get', 'person', 'ann', '-o=jsonpath={.spec.tags}{"\\n"}'], out: '["a"]\n' },
      { argv: ['get', 'persons', '-o', 'jsonpath={.items[*].metadata.name}'], out: 'ann bob cy' },
      {
        argv: [
          'get',
          'persons',
          '-o',
          'jsonpath={.kind} {range .items[*]}{.metadata.name}:{.spec.tags[-1]} {end}',
        ],
        out: 'PersonList ann:a bob: cy:b ',
      },
      {
        argv: [
          'list',
          'persons',
          '--sort',
          'spec.age',
          '-o',
          'jsonpath={.items[?(@.spec.age>25)].metadata.name}',
        ],
        out: 'ann bob',
      },
      {
        argv: ['get', 'persons', 'ann', 'cy', '-o', "jsonpath={.items[*]['metadata.name','spec.age']}"],
        out: 'ann 30 cy 25',
      },
      {
        argv: ['get', 'person', 'ann', '-o', 'jsonpath={.metadata.labels.demo\\.example\\.com/floor}'],
        out: '2',
      },
      { argv: 'get persons -l team -o jsonpath-file=names.txt', out: 'ann=30\nbob=40\n' },
      { argv: 'get persons --size 2 -o jsonpath-file=names.txt', out: 'ann=30\nbob=40\n' },
      { argv: 'get persons --limit 2 -o jsonpath-file=names.txt', out: 'ann=30\nbob=40\n' },
      { argv: ['get', 'persons', '-o', 'jsonpath={.items[*].spec.nothing}'], out: '' },
      { argv: ['get', 'person', 'eve', '-o', 'jsonpath={.spec}'], code: 3, out: '' },
      { argv: ['get', 'persons', '--explain', '-o', 'jsonpath={.method}'], out: 'walk' },
    ],
  },
  {
    title: 'a list of more objects than are read at once is printed whole',
    given: Array.from({ length: 1203 }, (_, i) => person(`p${String(i).padStart(4, '0')}`, { age: i % 100 })),
    steps: [
      { argv: 'get persons -o json', out: [/^ {8}"name": "p0000",$/m, /^ {8}"name": "p1202",$/m, /\n\}\n$/] },
      { argv: ['get', 'persons', '-o', 'jsonpath={.total} {.metadata.continue}|'], out: '1203 |' },
      {
        argv: ['get', 'persons', '-o', 'jsonpath={range .items[*]}{"x"}{end}'],
        out: 'x'.repeat(1203),
      },
      { argv: ['get', 'persons', '-o', 'jsonpath={.items[1202].metadata.name}'], out: 'p1202' },
    ],
  },
  {
    title: 'custom columns print what their paths lead to',
    given: PEOPLE,
    files: {
      'columns.txt': 'WHO   FLOOR\nmetadata.name   .metadata.labels.demo\\.example\\.com/floor\n',
      'bad.txt': 'WHO FLOOR\n.metadata.name\n',
    },
    steps: [
      {
        argv: 'get persons -o custom-columns=NAME:.metadata.name,Mail:.spec.email,TAGS:.spec.tags[*]',
        out: 'NAME   Mail              TAGS\nann    <none>            a\nbob    bob@example.com   <none>\ncy     <none>            a,b\n',
      },
      { argv: 'get person bob -o custom-columns=AGE:{.spec.age} --no-headers', out: '40\n' },
      {
        argv: 'get person cy -o custom-columns=TAGS:.spec.tags --show-labels',
        out: 'TAGS        LABELS\n["a","b"]   <none>\n',
      },
      { argv: 'get persons -l team=red -o custom-columns-file=columns.txt', out: 'WHO   FLOOR\nann   2\n' },
      { argv: 'get persons -o custom-columns-file=bad.txt', code: 2, err: /has 2 and 1/ },
      { argv: 'get persons --explain -o custom-columns=A:.a', code: 2, err: /supports only -o json/ },
    ],
  },
  {
    title: 'an output format that cannot be read is an error of usage that says where',
    steps: [
      {
        argv: ['get', 'persons', '-o', 'jsonpath={.items[*}'],
        code: 2,
        out: '',
        err: 'error: the jsonpath template is invalid: "]" is missing at position 10\n  {.items[*}\n           ^\n',
      },
      { argv: ['get', 'persons', '-o', 'jsonpath='], code: 2, err: /needs a template/ },
      { argv: 'get persons -o jsonpath', code: 2, err: /needs a template/ },
      { argv: 'get persons -o jsonpath-file=nowhere', code: 2, err: /cannot read nowhere/ },
      { argv: 'get persons -o custom-columns=NAME', code: 2, err: /"NAME" is not a column/ },
      {
        argv: 'get persons -o custom-columns=A:.a,B:.b[',
        code: 2,
        err: /column B is invalid.*position 11/,
      },
      { argv: 'get persons -o jsom', code: 2, err: /"jsom" is not an output format, did you mean "json"\?/ },
      { argv: 'get persons --sort-by={.spec.age}', code: 2, err: /--sort spec\.age/ },
      { argv: 'get persons --sort-by .spec.age', code: 2, err: /--sort spec\.age/ },
    ],
  },
];

const EXPORTED = documents(
  manifest('ann', 'name: ANN', 'age: 30', 'tags:', '  - a').replace(
    'spec:',
    "  labels:\n    team: red\n    demo.example.com/floor: '2'\nspec:",
  ),
  manifest('bob', 'name: BOB', 'age: 40', 'email: bob@example.com').replace(
    'spec:',
    '  labels:\n    team: blue\nspec:',
  ),
);

const MOVING: readonly CliCase[] = [
  {
    title: 'export writes manifests by name, without what the service sets',
    given: PEOPLE,
    before: (verbs) => verbs.update(PERSON_REF, 'cy', { status: { phase: 'Ready' } }, {}, 'status'),
    steps: [
      { argv: 'export persons -l team', out: `---\n${EXPORTED}`, err: 'exported 2 objects of 1 model\n' },
      {
        argv: ['export', 'person', '--filter', 'spec.age < 30 && !("x" in metadata.labels)', '-o', 'ndjson'],
        out: '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"cy"},"spec":{"name":"CY","age":25,"tags":["a","b"]}}\n',
        err: 'exported 1 object of 1 model\n',
      },
      {
        argv: 'export persons --with-status -o json',
        err: /^exported 3 objects/,
        json: { kind: 'List', items: [{}, {}, { metadata: { name: 'cy' }, status: { phase: 'Ready' } }] },
      },
      { argv: 'export pets.farm.example.com -o json', err: /^exported 0/, json: { items: [] } },
      {
        argv: 'export --all -o ndjson',
        out: /^(.*"kind":"Namespace".*\n){4}(.*"kind":"Person".*\n){3}(.*"kind":"ServiceAccount".*\n){4}$/,
        err: /^exported 11 objects of \d+ models\n$/,
      },
      { argv: 'export', code: 2, err: /needs resources, or --all/ },
      { argv: 'export persons --all', code: 2, err: /cannot be combined with --all/ },
      { argv: 'export persons -f a --output-dir b', code: 2, err: /either -f .* or --output-dir/ },
      { argv: 'export dragons', code: 3, out: '' },
    ],
  },
  {
    title: 'what is exported can be imported, and is the same then',
    given: PEOPLE,
    before: (verbs) => verbs.update(PERSON_REF, 'cy', { status: { phase: 'Ready' } }, {}, 'status'),
    steps: [
      { argv: 'export --all --with-status -f all.ndjson', err: /^exported 11/ },
      { argv: 'export persons --with-status -f all.json', err: /^exported 3/ },
      { argv: 'export persons --with-status --output-dir out', err: /^exported 3/ },
      { argv: 'import -f all.ndjson', out: '0 created, 11 unchanged\n' },
      { argv: 'delete persons ann bob cy', out: /ann deleted/ },
      { argv: 'import -f all.ndjson --dry-run', out: '3 created, 8 unchanged (dry run)\n' },
      { argv: 'get persons', out: '', err: 'no persons found\n' },
      { argv: 'import -f all.ndjson', out: '3 created, 8 unchanged\n' },
      { argv: 'import -f all.json -f out', out: '0 created, 6 unchanged\n' },
      { argv: 'import -f out/persons.demo.example.com.v1alpha1.yaml', out: '0 created, 3 unchanged\n' },
      { argv: 'get person cy -o json', json: { status: { phase: 'Ready' }, metadata: { version: 0 } } },
    ],
  },
  {
    title: 'import finds owners by their names, and leaves those out that are not there',
    files: {
      'all.ndjson': [owned('ann', 'zoe', 'nobody'), owned('bob', 'ann'), person('zoe')]
        .map((object) => `${JSON.stringify({ ...KIND, ...object })}\n`)
        .join(''),
    },
    steps: [
      {
        argv: 'import -f all.ndjson',
        out: '3 created\n',
        err: '1 object written without their missing owners; import again when the owners exist\n',
      },
      {
        argv: 'import -f all.ndjson',
        out: '0 created, 3 unchanged\n',
        err: '1 object written without their missing owners; import again when the owners exist\n',
      },
      {
        argv: 'get persons -o jsonpath={range.items[*]}{.metadata.ownerReferences[*].name};{end}',
        out: 'zoe;ann;;',
        err: /.*/s,
      },
      {
        argv: 'get persons --field-selector metadata.ownerReferences.uid=uid-of-ann',
        out: '',
        err: 'no persons found\n',
      },
    ],
  },
  {
    title: 'import overwrites differences, except status and finalizers that are absent',
    given: [
      person('ann', { age: 1, tags: ['x'] }, { finalizers: ['example.com/hold'], labels: { team: 'red' } }),
    ],
    before: (verbs) => verbs.update(PERSON_REF, 'ann', { status: { phase: 'Ready' } }, {}, 'status'),
    files: {
      // As `get -o yaml` prints it, with a version that was overtaken.
      'a.yaml': manifest('ann', 'name: New').replace(
        'name: ann',
        'name: ann\n  version: 0\n  resourceVersion: "1"',
      ),
    },
    steps: [
      { argv: 'import -f a.yaml --skip-existing', out: '0 created, 1 skipped\n' },
      {
        argv: 'import -f a.yaml --dry-run',
        out: '0 created, 1 configured (dry run)\n',
        err: 'warning: persons/ann: would remove metadata.labels, spec.age, spec.tags, omitted by the file; use --merge to keep omitted fields\n',
      },
      {
        argv: 'import -f a.yaml',
        out: '0 created, 1 configured\n',
        err: /^warning: persons\/ann: removes metadata\.labels, spec\.age, spec\.tags, omitted by the file/,
      },
      {
        argv: 'get person ann -o jsonpath={.spec}{.status}{.metadata.finalizers}{.metadata.labels}',
        out: '{"name":"New"}{"phase":"Ready"}["example.com/hold"]',
      },
      { argv: 'import -f a.yaml', out: '0 created, 1 unchanged\n' },
    ],
  },
  {
    title: 'import tells every fault with its line, and brings in the rest',
    files: {
      'a.ndjson': [
        '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"ann"},"spec":{"name":"Ann"}}',
        '{"apiVersion":',
        '{"apiVersion":"demo.example.com/v1alpha1","kind":"Dragon","metadata":{"name":"d"}}',
        '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"bob"},"spec":{"age":200}}',
        '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"eve"},"spec":{"name":"E","nmae":"\\u001b[2J"}}',
        '"text"',
        '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"ann"},"spec":{"name":"Later"}}',
      ].join('\n'),
      'b.yaml': documents(manifest('cy'), manifest('dan', 'age: 3'), manifest('cy', 'name: Later')),
    },
    steps: [
      {
        argv: 'import -f a.ndjson -f b.yaml',
        code: 5,
        out: '2 created, 2 configured, 6 failed\n',
        err: [
          /^error: a\.ndjson:2:15: malformed JSON/m,
          /^error: a\.ndjson:3: there is no model Dragon of demo/m,
          /^error: a\.ndjson:4: spec\.name .*\na\.ndjson:4: spec\.age /m,
          /^error: a\.ndjson:5: spec\.nmae unknown field, did you mean "name"\?$/m,
          /^error: a\.ndjson:6: a manifest must be an object$/m,
          /^error: b\.yaml:12: spec\.name /m,
        ],
      },
      {
        argv: ['get', 'persons', '-o', 'jsonpath={range .items[*]}{.metadata.name}={.spec.name} {end}'],
        out: 'ann=Later cy=Later ',
      },
      { argv: 'import', code: 2, err: /needs -f/ },
      { argv: 'import -f nowhere.yaml', code: 2, err: /nowhere\.yaml does not exist/ },
    ],
  },
  {
    title: 'import reads standard input, and accepts fields that no schema declares on request',
    steps: [
      { argv: 'import -f -', stdin: documents(manifest('ann'), manifest('bob')), out: '2 created\n' },
      {
        argv: 'import -f -',
        stdin: manifest('cy', 'name: C', 'shoes: 4'),
        code: 5,
        out: '0 created, 1 failed\n',
      },
      {
        argv: 'import -f - --validate=warn',
        stdin: manifest('cy', 'name: C', 'shoes: 4'),
        out: '1 created\n',
        err: 'warning: persons/cy: unknown field "spec.shoes"\n',
      },
      { argv: 'import -f - --format ndjson', stdin: 'a: 1\n', code: 5, err: /<stdin>:1:1: malformed JSON/ },
      { argv: 'import -f -', stdin: '', out: '0 created\n' },
    ],
  },
  {
    title: 'import --merge keeps what a file does not state',
    given: [
      person(
        'ann',
        { age: 1, tags: ['x', 'y'] },
        { labels: { team: 'red' }, finalizers: ['example.com/hold'] },
      ),
    ],
    files: {
      'a.yaml': manifest('ann', 'name: New', 'tags: [z]').replace(
        'name: ann',
        'name: ann\n  labels: {colour: blue}',
      ),
    },
    steps: [
      { argv: 'import -f a.yaml --merge', out: '0 created, 1 configured\n' },
      {
        argv: 'get person ann -o jsonpath={.spec}{.metadata.labels}{.metadata.finalizers}',
        out: '{"name":"New","age":1,"tags":["z"]}{"team":"red","colour":"blue"}["example.com/hold"]',
      },
      { argv: 'import -f a.yaml --merge', out: '0 created, 1 unchanged\n' },
    ],
  },
  {
    title: 'import names the objects that lose something, not all of them when they are many',
    given: Array.from({ length: 13 }, (_, i) => person(`p${i}`, { age: 1 })),
    files: {
      'a.yaml': documents(...Array.from({ length: 13 }, (_, i) => manifest(`p${i}`, 'name: New'))),
    },
    steps: [
      {
        argv: 'import -f a.yaml',
        out: '0 created, 13 configured\n',
        err: /^(warning: persons\/p\d: removes spec\.age, .*\n){10}warning: the same for 3 more objects\n$/,
      },
    ],
  },
  {
    title: 'import says that it removes a field that is named like a member of every object',
    given: [person('ann', { constructor: 'x' })],
    files: { 'a.yaml': manifest('ann', 'name: New') },
    steps: [
      {
        argv: 'import -f a.yaml --validate=ignore',
        out: '0 created, 1 configured\n',
        err: /^warning: persons\/ann: removes spec\.constructor, /,
      },
    ],
  },
  {
    title: 'import reads CSV, its columns mapped to fields',
    files: {
      'people.csv':
        '\ufeffid,Full name,Age,Tags,Team,Notes\r\nann,"Ann ""A"" Lee, the first",30,x;y,red,\r\n' +
        'bob,"Bob\nB",,"[""p;q""]",,ignored\r\n',
      'paths.csv': 'name;spec.name;metadata.labels.demo.example.com/team\ncy;Cy;blue\n',
      'tabs.csv': 'id\tLast, first\ndan\tLee, D\n',
    },
    steps: [
      {
        argv: [
          'import',
          'persons',
          '-f',
          'people.csv',
          '--map',
          'name=id,spec.name=Full name,spec.age=Age',
          '--map',
          'spec.tags=Tags,metadata.labels.demo.example.com/team=Team',
        ],
        out: '2 created\n',
      },
      {
        argv: [
          'get',
          'persons',
          '-o',
          'jsonpath={range .items[*]}{.metadata.name}{.spec}{.metadata.labels}{"\\n"}{end}',
        ],
        out:
          'ann{"name":"Ann \\"A\\" Lee, the first","age":30,"tags":["x","y"]}{"demo.example.com/team":"red"}\n' +
          'bob{"name":"Bob\\nB","tags":["p;q"]}\n',
      },
      { argv: 'import person -f paths.csv --delimiter ;', out: '1 created\n' },
      {
        argv: 'import person -f - --format csv --merge',
        stdin: 'name,spec.age\nann,31\n',
        out: '0 created, 1 configured\n',
      },
      { argv: 'get person ann -o jsonpath={.spec.age}{.spec.tags}', out: '31["x","y"]' },
      {
        argv: [
          'import',
          'persons',
          ...['-f', 'tabs.csv', '--delimiter', '\\t'],
          ...['--map', 'name=id,spec.name=Last, first'],
        ],
        out: '1 created\n',
      },
      { argv: 'get person dan -o jsonpath={.spec.name}', out: 'Lee, D' },
    ],
  },
  {
    title: 'import says what is wrong with CSV, and where',
    files: {
      'a.csv': 'id,spec.name,spec.age\nann,Ann,30\nbob,Bob,old\n,Nobody,3\n',
      'torn.csv': 'name,spec.name\nann,Ann\nbob,Bob,3\ncy,Cy\n',
      'quote.csv': 'name,spec.name\nann,"Ann\n',
      'empty.csv': '',
      'twice.csv': 'id,Name,Name\nann,Ann,Bob\n',
      'wide.csv': `${Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')}\n`,
      'b.yaml': manifest('dan'),
    },
    steps: [
      { argv: 'import -f a.csv', code: 2, err: /a\.csv: a CSV file needs the name of the model/ },
      { argv: 'import persons -f a.csv', code: 2, err: /a\.csv: "id" is not a field of persons; map fields/ },
      {
        argv: 'import persons -f a.csv --map name=ID',
        code: 2,
        err: /a\.csv has no column "ID", did you mean "id"\?; it has: id, spec\.name, spec\.age/,
      },
      { argv: 'import persons -f a.csv --map spec.name=id', code: 2, err: /no column for the name/ },
      { argv: 'import persons -f a.csv --map spec.name', code: 2, err: /--map needs field=column pairs/ },
      { argv: 'import persons -f a.csv --map name=id,name=id', code: 2, err: /a column of name twice/ },
      { argv: 'import -f b.yaml --map name=id', code: 2, err: /--map is for CSV; name the model/ },
      { argv: 'import persons -f b.yaml', code: 2, err: /b\.yaml contains the models of its objects/ },
      {
        argv: 'import persons -f a.csv --map name=id,spec.name=spec.name,spec.age=spec.age',
        code: 5,
        out: '1 created, 2 failed\n',
        err: [/^error: a\.csv:3: spec\.age /m, /^error: a\.csv:4: metadata\.name is missing/m],
      },
      {
        argv: 'import persons -f torn.csv',
        code: 5,
        out: '1 created, 1 configured, 1 failed\n',
        err: [
          /^warning: persons\/ann: removes spec\.age/m,
          /^error: torn\.csv:3: the row has 3 columns, the first row has 2$/m,
        ],
      },
      {
        argv: 'import persons -f quote.csv',
        code: 5,
        out: '0 created, 1 failed\n',
        err: /^error: quote\.csv:\d: .*[Qq]uote/m,
      },
      {
        argv: 'import persons -f twice.csv --map name=id,spec.name=Name',
        code: 2,
        err: /twice\.csv has several columns "Name"; rename all but one/,
      },
      {
        argv: 'import persons -f wide.csv --map name=id',
        code: 2,
        err: /^error: wide\.csv has no column "id".*; it has: c0, .*, c19 and 9980 more\n$/,
      },
      ...['', '"', '\n'].map((delimiter) => ({
        argv: ['import', 'persons', '-f', 'a.csv', '--map', 'name=id', '--delimiter', delimiter],
        code: 2,
        err: /--delimiter needs the separator of columns/,
      })),
      { argv: 'import persons -f empty.csv', out: '0 created\n' },
      { argv: 'import dragons -f a.csv', code: 3, out: '' },
    ],
  },
  {
    title: 'commands about a store refuse a server',
    only: 'http',
    steps: ['restore b', 'reindex'].map((argv) => ({
      argv,
      code: 2,
      out: '',
      err: /works on a store, not on a server; use --data-dir/,
    })),
  },
  {
    title: 'indexes are rebuilt',
    only: 'store',
    given: PEOPLE,
    steps: [
      { argv: 'reindex persons', out: /^persons reindexed: 3 objects, \d+ indexes\n$/ },
      { argv: 'reindex', out: /^persons reindexed/m },
      { argv: 'check', err: /is consistent/ },
      { argv: 'reindex dragons', code: 3 },
    ],
  },
];

/** Output formats, and objects that go from one store to another. */
export const OUTPUT_CASES: readonly CliCase[] = [...FORMATS, ...MOVING];
