import { PERSON_REF } from '../helpers/http.js';
import { documents, manifest, person, type CliCase } from './cli-fixtures.js';

/** A person with a label, as a file states it. */
function labelled(name: string, ...spec: readonly string[]): string {
  return manifest(name, ...spec).replace(`name: ${name}\n`, `name: ${name}\n  labels: { set: one }\n`);
}

const PET = (name: string): string =>
  `apiVersion: farm.example.com/v1\nkind: Pet\nmetadata: { name: ${name}, labels: { set: one } }\n`;

/** Cases of deletions by `apply`, and of flags that override a lock. */
export const PRUNE_CASES: readonly CliCase[] = [
  {
    title:
      'apply --prune deletes what an earlier apply of that selector created, of every model, and nothing else',
    files: {
      'all.yaml': documents(labelled('ann'), labelled('bob'), PET('rex')),
      'some.yaml': labelled('ann'),
      'other.yaml': manifest('cy'),
    },
    // Somebody else's, with the label.
    given: [person('dan', {}, { labels: { set: 'one' } })],
    steps: [
      { argv: 'apply -f all.yaml -f other.yaml --atomic', out: /created\n/ },
      {
        argv: 'apply -f some.yaml --prune -l set=one --dry-run --atomic',
        out: 'persons/ann unchanged (dry run)\npersons/bob pruned (dry run)\npets/rex pruned (dry run)\n',
        err: 'to be pruned: persons/bob\nto be pruned: pets/rex\n',
      },
      {
        argv: 'apply -f some.yaml --prune -l set=one',
        out: 'persons/ann unchanged\npersons/bob pruned\npets/rex pruned\n',
        err: 'to be pruned: persons/bob\nto be pruned: pets/rex\n',
      },
      { argv: 'get persons -o name', out: 'persons/ann\npersons/cy\npersons/dan\n' },
      { argv: 'apply -f some.yaml --prune -l set=one', out: 'persons/ann unchanged\n', err: '' },
    ],
  },
  {
    title: 'apply --prune is part of the one commit: nothing is pruned when anything fails',
    files: {
      'all.yaml': documents(labelled('ann'), labelled('bob')),
      'bad.yaml': documents(labelled('ann', 'name: Anna'), labelled('cy', 'age: 1')),
      // The address that bob has.
      'mail.yaml': labelled('eve', 'name: Eve', 'email: bob@example.com'),
      'bob.yaml': labelled('bob', 'name: Bob', 'email: bob@example.com'),
    },
    steps: [
      { argv: 'apply -f all.yaml --atomic', out: 'persons/ann created\npersons/bob created\n' },
      {
        argv: 'apply -f bad.yaml --prune -l set=one --atomic',
        code: 5,
        out: '',
        err: [/^to be pruned: persons\/bob$/m, /^error: bad\.yaml:14: spec\.name/m, /^nothing was written/m],
      },
      { argv: 'get persons -o name', out: 'persons/ann\npersons/bob\n' },
      {
        argv: 'apply -f bad.yaml --prune -l set=one --atomic=false',
        code: 5,
        out: 'persons/ann configured\n',
        err: [/^error: bad\.yaml:14: spec\.name/m, /^nothing was pruned: some of the files could not/m],
      },
      { argv: 'apply -f bob.yaml', out: 'persons/bob configured\n' },
      {
        argv: 'apply -f mail.yaml --prune -l set=one --atomic',
        out: 'persons/eve created\npersons/ann pruned\npersons/bob pruned\n',
        err: 'to be pruned: persons/ann\nto be pruned: persons/bob\n',
      },
    ],
  },
  {
    title: 'apply --owner keeps sets of files apart that share their labels',
    files: { 'a.yaml': labelled('ann'), 'b.yaml': labelled('bob'), 'c.yaml': labelled('cy') },
    steps: [
      { argv: 'apply -f a.yaml --owner left', out: 'persons/ann created\n' },
      { argv: 'apply -f b.yaml --owner right --prune -l set=one', out: 'persons/bob created\n' },
      { argv: 'apply -f c.yaml --prune -l set=one', out: 'persons/cy created\n' },
      {
        argv: 'apply -f c.yaml --owner left --prune -l set=one',
        out: 'persons/cy configured\npersons/ann pruned\n',
        err: 'to be pruned: persons/ann\n',
      },
      { argv: 'get persons -o name', out: 'persons/bob\npersons/cy\n' },
    ],
  },
  {
    title: 'apply --prune needs a selector, and says what finalizers hold',
    files: { 'a.yaml': labelled('ann'), 'b.yaml': labelled('bob') },
    steps: [
      { argv: 'apply -f a.yaml --prune', code: 2, err: /^error: --prune needs -l/ },
      { argv: ['apply', '-f', 'a.yaml', '--prune', '-l', ' '], code: 2, err: /^error: -l is empty/ },
      { argv: 'apply -f a.yaml -l set=one', code: 2, err: /^error: -l needs --prune/ },
      { argv: 'apply -f a.yaml', out: 'persons/ann created\n' },
      {
        argv: ['patch', 'persons', 'ann', '-p', '{"metadata":{"finalizers":["example.com/a"]}}'],
        out: 'persons/ann patched\n',
      },
      {
        argv: 'apply -f b.yaml --prune -l set=one',
        out: 'persons/bob created\npersons/ann pruned\n',
        err: 'to be pruned: persons/ann\npersons/ann stays until its finalizers are removed\n',
      },
      { argv: 'apply -f b.yaml --prune -l set=one', out: 'persons/bob unchanged\n', err: '' },
    ],
  },
  {
    title: 'apply --force-conflicts writes whatever version a file names',
    files: { 'lock.yaml': manifest('ann', 'name: New').replace('name: ann', 'name: ann\n  version: 9') },
    given: [person('ann')],
    before: (verbs) => verbs.patch(PERSON_REF, 'ann', { spec: { age: 3 } }, 'merge'),
    steps: [
      { argv: 'apply -f lock.yaml', code: 4, err: /metadata\.version/ },
      { argv: 'apply -f lock.yaml --force-conflicts', out: 'persons/ann configured\n' },
      { argv: 'get person ann -o json', json: { metadata: { version: 2 }, spec: { name: 'New', age: 3 } } },
    ],
  },
];
