import { PERSON_REF } from '../helpers/http.js';
import { manifest, person, type CliCase } from './cli-fixtures.js';

/** The log outlives the objects of a case, so each case has a unique name. */
const NO_SUCH = 'persons.demo.example.com';

const HISTORY: readonly CliCase[] = [
  {
    title: 'history prints who changed what, newest first',
    given: [person('hal', { age: 1 }, { labels: { team: 'red' } })],
    before: async (verbs) => {
      await verbs.update(PERSON_REF, 'hal', person('hal', { age: 2, tags: ['a'] }));
      await verbs.patch(PERSON_REF, 'hal', { spec: { age: 3 } }, 'merge');
    },
    steps: [
      {
        argv: 'history persons hal',
        out: /^REVISION +AGE +USER +VERB +CHANGED\n\d+ +AGE +\S+ +patch +spec\.age\n\d+ +AGE +\S+ +update +metadata\.labels\.team, spec\.age, spec\.tags\n\d+ +AGE +\S+ +create +<none>\n$/,
      },
      {
        argv: 'history person/hal -o wide --no-headers --limit 1',
        out: /^\d+ +TIME +\S+ +patch +spec\.age\n$/,
      },
      {
        argv: 'history persons hal -o json',
        json: {
          apiVersion: 'demo.example.com/v1alpha1',
          kind: 'PersonHistory',
          metadata: { name: 'hal', oldest: '1' },
          items: [
            { verb: 'patch', changes: [{ path: 'spec.age', from: 2, to: 3 }] },
            { verb: 'update' },
            { verb: 'create', changes: [] },
          ],
        },
      },
      { argv: 'history persons hal -o yaml', out: [/^kind: PersonHistory\n/m, /^ {2}verb: patch\n/m] },
      {
        argv: 'history persons hal -o ndjson --limit 2',
        out: /^\{"resourceVersion":.*"verb":"patch".*\}\n\{"resourceVersion":.*"verb":"update".*\}\n$/,
      },
    ],
  },
  {
    title: 'history names only some of many fields, and goes on after the object is gone',
    given: [person('hana', {})],
    before: async (verbs) => {
      const labels = { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' };
      await verbs.patch(PERSON_REF, 'hana', { metadata: { labels } }, 'merge');
      await verbs.delete(PERSON_REF, 'hana');
    },
    steps: [
      {
        argv: 'history persons hana',
        out: [/ delete +<none>\n/, / patch +(metadata\.labels\.\w, ){3}metadata\.labels\.\w, and 2 more\n/],
      },
      {
        argv: 'history persons hana -o wide',
        out: / patch +(metadata\.labels\.\w, ){5}metadata\.labels\.f\n/,
      },
    ],
  },
  {
    title: 'history of a resource prints the changes of all objects, with their names',
    given: [person('hilda', { age: 1 })],
    before: async (verbs) => {
      await verbs.patch(PERSON_REF, 'hilda', { spec: { age: 2 } }, 'merge');
      await verbs.delete(PERSON_REF, 'hilda');
    },
    steps: [
      {
        argv: 'history persons --limit 3',
        out: /^REVISION +AGE +USER +VERB +NAME +CHANGED\n\d+ +AGE +\S+ +delete +hilda +<none>\n\d+ +AGE +\S+ +patch +hilda +spec\.age\n\d+ +AGE +\S+ +create +hilda +<none>\n$/,
      },
      { argv: 'history persons --limit 1 -o json', json: { items: [{ name: 'hilda', verb: 'delete' }] } },
      { argv: 'history persons --user nobody-at-all', out: '', err: /the log has no change of persons/ },
      { argv: 'history persons --since soon', code: 2, err: /--since soon: it must be a time/ },
      { argv: 'undo --since soon', code: 2 },
      { argv: 'undo', code: 2, err: /name a resource/ },
    ],
  },
  {
    title: 'history and get --at say what they cannot tell',
    given: [person('hugo')],
    steps: [
      { argv: 'history persons nobody', code: 3, err: `error: ${NO_SUCH} "nobody" not found\n` },
      { argv: 'history persons hugo hana', code: 2 },
      { argv: 'get person hugo --at 0', code: 5, err: /"0" is not a revision/ },
      { argv: 'get person hugo --at 99999999', code: 5, err: /in the future: the store is at \d+/ },
      { argv: 'get person hugo --at soon', code: 2, err: /--at soon: it must be a revision, a time like/ },
      { argv: 'get persons --at 5m', code: 2, err: /needs names of objects/ },
      { argv: 'get person hugo --at 5m --watch', code: 2 },
      { argv: 'get person hugo --at 1h', code: 3, err: /"hugo" did not exist yet at 1h/ },
      { argv: 'get person hugo --at 2020-01-01T00:00:00Z', code: 3 },
    ],
  },
  {
    title: 'get --at prints what was, at a revision or a time',
    given: [person('hope', { age: 1 })],
    before: (verbs) => verbs.patch(PERSON_REF, 'hope', { spec: { age: 2 } }, 'merge'),
    steps: [
      { argv: 'get person hope --at 2100-01-01T00:00:00Z -o jsonpath={.spec.age}', out: '2' },
      { argv: 'get persons/hope --at 0s -o json', json: { spec: { age: 2 } } },
      { argv: 'get person hope none --at 0s -o name', code: 3, out: 'persons/hope\n' },
    ],
  },
];

const UNDO: readonly CliCase[] = [
  {
    title: 'undo takes the last change back, and undone twice it is there again',
    given: [person('ulla', { age: 1 }, { labels: { team: 'red' }, annotations: { note: 'n' } })],
    before: async (verbs) => {
      await verbs.update(
        PERSON_REF,
        'ulla',
        person('ulla', { age: 2, tags: ['x'] }, { labels: { team: 'blue' } }),
      );
      await verbs.update(PERSON_REF, 'ulla', { status: { phase: 'Ready' } }, {}, 'status');
    },
    steps: [
      {
        argv: 'undo persons ulla --dry-run',
        out: [
          /^--- persons\/ulla \(live\)$/m,
          /^-\s+age: 2$/m,
          /^\+\s+age: 1$/m,
          /undone to revision \d+ \(dry run\)\n$/,
        ],
      },
      { argv: 'get person ulla -o json', json: { spec: { age: 2 } } },
      { argv: 'undo persons ulla', out: /^persons\/ulla undone to revision \d+\n$/ },
      {
        argv: 'get person ulla -o json',
        json: {
          metadata: { version: 3, labels: { team: 'red' }, annotations: { note: 'n' } },
          spec: { age: 1 },
          status: { phase: 'Ready' },
        },
      },
      { argv: 'undo persons/ulla', out: /undone to revision/ },
      {
        argv: 'get person ulla -o json',
        json: { metadata: { version: 4, labels: { team: 'blue' } }, spec: { age: 2, tags: ['x'] } },
      },
      { argv: 'undo persons ulla -o name', out: 'persons/ulla\n' },
    ],
  },
  {
    title: 'undo creates again what was deleted, as another object',
    files: { 'uma.yaml': manifest('uma', 'name: Uma', 'age: 7') },
    steps: [
      { argv: 'apply -f uma.yaml', out: 'persons/uma created\n' },
      { argv: 'delete person uma', out: 'persons/uma deleted\n' },
      {
        argv: 'undo persons uma --dry-run',
        out: [/^--- \/dev\/null$/m, /created again as of revision \d+ \(dry run\)\n$/],
      },
      { argv: 'get person uma', code: 3 },
      { argv: 'undo persons uma', out: /^persons\/uma created again as of revision \d+\n$/ },
      { argv: 'get person uma -o json', json: { metadata: { version: 0, generation: 1 }, spec: { age: 7 } } },
      { argv: 'apply -f uma.yaml', out: 'persons/uma unchanged\n' },
      {
        argv: 'undo persons uma',
        code: 4,
        err: /was created at revision \d+ and has no earlier state/,
      },
    ],
  },
  {
    title: 'undo refuses what has no state before, cannot be, or is no revision',
    given: [person('udo', {}, { finalizers: ['example.com/hold'] }), person('urs')],
    before: (verbs) => verbs.delete(PERSON_REF, 'udo'),
    steps: [
      { argv: 'undo persons urs', code: 4, err: /has no earlier state; delete it/ },
      { argv: 'undo persons udo', code: 4, err: /is being deleted/ },
      { argv: 'undo persons nobody', code: 3 },
      { argv: 'undo persons urs --to 0', code: 5 },
      { argv: 'undo persons urs --to x', code: 5, err: /"x" is not a revision/ },
      { argv: 'undo persons urs --to 99999999', code: 5 },
      { argv: 'undo persons', code: 2 },
    ],
  },
];

const DIFF: readonly CliCase[] = [
  {
    title: 'diff --from compares what an object was at two moments',
    given: [person('dan', { age: 1 })],
    before: (verbs) => verbs.patch(PERSON_REF, 'dan', { spec: { age: 2 } }, 'merge'),
    steps: [
      { argv: 'diff persons dan --from 0s', out: '' },
      { argv: 'diff persons dan --from 1h', code: 3 },
      { argv: 'diff persons dan', code: 2, err: /or --from with a revision/ },
      { argv: 'diff --from 1', code: 2, err: /name a resource/ },
      { argv: 'diff persons dan --from 1 -f x.yaml', code: 2, err: /either files or, with --from/ },
    ],
  },
];

export const HISTORY_CASES: readonly CliCase[] = [...HISTORY, ...UNDO, ...DIFF];
