import { documents, manifest, type CliCase } from './cli-fixtures.js';

const EXPLAIN_AGE = `GROUP:      demo.example.com
KIND:       Person
VERSION:    v1alpha1

FIELD: age <integer>

DESCRIPTION:
    Age in years
    (min 0; max 150)
    (indexed: selectable, sortable, by integer)
`;

const EXPLAIN: readonly CliCase[] = [
  {
    title: 'explain describes models and fields: types, constraints, words, indexes',
    steps: [
      { argv: 'explain persons.spec.age', out: EXPLAIN_AGE },
      {
        argv: 'explain persons.demo.example.com',
        out: [
          /^FIELDS:\n {2}apiVersion <string> -required-\n/m,
          /^ {2}spec <PersonSpec> -required-$/m,
          /^ {2}status <PersonStatus>$/m,
        ],
      },
      {
        argv: 'explain person.spec',
        out: [
          /^FIELD: spec <PersonSpec> -required-$/m,
          /^ {2}name <string> -required-\n {4}Full name\n {4}\(min length 1; max length 64\)\n/m,
          /^ {2}gender <string>\n {4}\(one of MALE, FEMALE\)\n/m,
          /^ {2}email <string>\n {4}No two persons share one\n {4}\(format email\)\n {4}\(indexed: selectable, sortable, unique, by string\)\n/m,
          /^ {2}tags <\[\]string>\n.*\n {4}\(indexed: selectable, sortable, each of several values, by string\)\n/m,
          /^ {2}address <Address>\n {4}Where somebody lives\n/m,
        ],
      },
      { argv: 'explain persons.metadata.labels', out: /^FIELD: labels <map\[string\]string>$/m },
      {
        argv: 'explain persons --recursive',
        out: [
          /^ {4}address <Address>\n {6}street <string>\n {6}city <string> -required-\n/m,
          /^ {4}otherPerson <Person>$/m,
        ],
      },
      {
        argv: 'explain persons.spec.otherPerson.spec.age --api-version demo.example.com/v1alpha1',
        out: /^FIELD: age <integer>$/m,
      },
      {
        argv: 'explain persons.spec.agee',
        code: 3,
        err: 'error: there is no field "agee" in persons.spec of demo.example.com/v1alpha1, did you mean "age"?\n',
      },
      { argv: 'explain persons.spec.age.deep', code: 3, err: /: it has no declared fields/ },
      { argv: 'explain prsons.spec', code: 3, err: /did you mean "persons"\?/ },
      { argv: 'explain pets', code: 5, err: /"pets" is ambiguous/ },
      { argv: 'explain persons..age', code: 5 },
    ],
  },
];

const API_RESOURCES: readonly CliCase[] = [
  {
    title: 'api-resources prints the models there are',
    steps: [
      {
        argv: 'api-resources --api-group demo.example.com',
        out: 'NAME      SHORTNAMES   APIVERSION                  NAMESPACED   KIND\npersons   pe           demo.example.com/v1alpha1   false        Person\n',
      },
      { argv: 'api-resources --api-group farm.example.com -o name', out: 'pets.farm.example.com\n' },
      {
        argv: 'api-resources --api-group demo.example.com -o wide --no-headers',
        out: 'persons   pe   demo.example.com/v1alpha1   false   Person   v1alpha1   create,delete,get,list,patch,update,watch\n',
      },
      {
        argv: 'api-resources --api-group demo.example.com -o json',
        json: {
          kind: 'APIResourceList',
          resources: [{ name: 'persons', singularName: 'person', kind: 'Person' }],
        },
      },
      {
        argv: 'api-resources --sort-by kind -o name',
        out: /^configmaps\ncustomresourcedefinitions\..*\nevents\nleases\..*\nnamespaces\npersons\.demo.*\npets\.farm.*\npets\.home.*\nplugins\.plugin.*\n(roles|rolebindings)\.access[^]*users\.access\.platform\.run\nviews\.console\.platform\.run\nwebhooks\.delivery\.platform\.run\n$/,
      },
      { argv: 'api-resources --api-group none', out: '', err: 'no resources found\n' },
    ],
  },
];

const VALIDATE: readonly CliCase[] = [
  {
    title: 'validate checks files without a store, and tells every fault with line and column',
    only: 'store',
    files: {
      'good.yaml': documents(manifest('ann'), manifest('bob').replace('name: bob', 'generateName: bob-')),
      'bad.yaml': documents(
        manifest('Bad_Name', 'name: X', 'age: 151', 'tags: [a, 1]'),
        manifest('cy', 'nmae: Cy'),
        manifest('eve', 'name: Eve', 'email: same@example.com'),
        manifest('fay', 'name: Fay', 'email: same@example.com'),
        manifest('fay'),
      ),
      'one.json':
        '{\n  "apiVersion": "demo.example.com/v1alpha1",\n  "kind": "Persn",\n  "metadata": {"name": "x"}\n}\n',
    },
    steps: [
      { argv: 'validate -f good.yaml', out: 'persons/ann valid\npersons/bob-... valid\n' },
      {
        argv: 'validate -f bad.yaml',
        code: 5,
        out: 'persons/eve valid\n',
        err: [
          /^error: bad\.yaml:33:1: persons\/fay is also at bad\.yaml:25:1$/m,
          /bad\.yaml:7:3: spec\.age must be <= 150/,
          /bad\.yaml:8:13: spec\.tags\[1\] must be/,
          /bad\.yaml:4:3: metadata\.name must consist of/,
          /bad\.yaml:14:1: spec\.name is required/,
          /bad\.yaml:15:3: spec\.nmae unknown field, did you mean "name"\?/,
          /bad\.yaml:31:3: spec\.email must be unique, but "same@example\.com" is also at bad\.yaml:23:3/,
        ],
      },
      { argv: 'validate -f one.json', code: 3, err: /^error: one\.json:3:3: there is no model Persn/ },
      {
        argv: 'validate -f - --validate=warn',
        stdin: manifest('ann', 'name: A', 'shoes: 1'),
        out: 'persons/ann valid\n',
        err: /^warning: <stdin>:\d+:3: spec\.shoes unknown field\n$/,
      },
      {
        argv: 'validate -f - --validate=ignore',
        stdin: manifest('ann', 'name: A', 'shoes: 1'),
        out: /valid/,
      },
      { argv: 'validate -f -', stdin: 'a: [', code: 5, err: /^error: <stdin>:1:/ },
      { argv: 'validate', code: 2, err: /^error: validate needs -f/ },
    ],
  },
  {
    title: 'validate does not ask a server',
    only: 'http',
    steps: [{ argv: 'validate -f x', code: 2, err: /^error: validate works offline/ }],
  },
];

const HELP: readonly CliCase[] = [
  {
    title: 'the overview has the commands in groups, and every command has examples',
    steps: [
      {
        argv: '--help',
        out: [
          /^Read objects:\n {2}get /m,
          /^Write objects:\n {2}apply /m,
          /^Exit codes: 0 done/m,
          /^(?!.*__complete)/s,
        ],
      },
      ...[
        'create',
        'diff',
        'validate',
        'edit',
        'patch',
        'label',
        'annotate',
        'wait',
        'explain',
        'api-resources',
      ].map((command) => ({
        argv: `${command} --help`,
        out: new RegExp(`Examples:\\n {2}.*xsvc ${command}`),
      })),
      { argv: 'lable persons ann a=1', code: 2, err: /unknown command 'lable'\n\(Did you mean label\?\)/ },
      { argv: 'apply --dryrun -f x', code: 2, err: /Did you mean --dry-run\?/ },
    ],
  },
  {
    title: 'completion scripts are printed for known shells',
    only: 'store',
    steps: [
      { argv: ['completion', 'tcsh'], code: 2, err: /Allowed choices are bash, zsh, fish/ },
      { argv: ['completion', 'bash'], out: /^complete -o default -F _xsvc xsvc$/m },
    ],
  },
];

/** Commands that only look. */
export const LOOK_CASES: readonly CliCase[] = [...EXPLAIN, ...API_RESOURCES, ...VALIDATE, ...HELP];
