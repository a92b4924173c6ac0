import { PERSON_REF } from '../helpers/http.js';
import { manifest, person, type CliCase } from './cli-fixtures.js';

/** An editor that is a program of one line. */
function sed(script: string): Readonly<Record<string, string>> {
  return { EDITOR: `sed -i -e '${script}'`, TMPDIR: '.' };
}

/** An editor that does something else each time: the n-th line of `turns` the n-th time. */
function editor(...turns: readonly string[]): Readonly<Record<string, string>> {
  const cases = turns.map((turn, at) => `${at + 1}) ${turn};;`).join(' ');
  const count = 'n=$(($(cat "$1.count" 2>/dev/null || echo 0) + 1)); echo $n > "$1.count"';
  return { XSVC_EDITOR: `f() { ${count}; case $n in ${cases} esac; }; f`, EDITOR: 'false', TMPDIR: '.' };
}

/** Cases of `edit`, with an editor. */
export const EDIT_CASES: readonly CliCase[] = [
  {
    title: 'edit stores what the editor leaves, and only that',
    files: { 'a.yaml': manifest('ann', 'name: Ann', 'age: 3') },
    steps: [
      { argv: 'apply -f a.yaml', out: 'persons/ann created\n' },
      { argv: 'edit persons ann', env: sed('s/age: 3/age: 4/'), out: 'persons/ann edited\n' },
      { argv: 'edit person/ann -o json', env: sed('s/"age": 4/"age": 5/'), out: 'persons/ann edited\n' },
      { argv: 'get person ann -o json', json: { metadata: { version: 2 }, spec: { name: 'Ann', age: 5 } } },
      // The record that apply keeps was not shown in the editor, and still exists.
      { argv: 'apply -f a.yaml', out: 'persons/ann configured\n' },
    ],
  },
  {
    title: 'edit is cancelled by saving nothing new, or nothing',
    given: [person('ann')],
    steps: [
      {
        argv: 'edit persons ann',
        env: { EDITOR: 'true', TMPDIR: '.' },
        err: 'edit cancelled: nothing was changed\n',
      },
      {
        argv: 'edit persons ann',
        env: sed('s/^kind:/kind:  /'),
        err: 'edit cancelled: nothing was changed\n',
      },
      {
        argv: 'edit persons ann',
        env: { EDITOR: 'truncate -s 0', TMPDIR: '.' },
        err: 'edit cancelled: the text is empty\n',
      },
      { argv: 'get person ann -o json', json: { metadata: { version: 0 } } },
    ],
  },
  {
    title: 'edit shows a refused text again with the reasons, and keeps it in the end',
    given: [person('ann', { age: 3 })],
    steps: [
      {
        argv: 'edit persons ann',
        env: editor('sed -i "s/age: 3/age: 999/" $1', 'grep -q "^#.*<= 150" $1 && sed -i s/999/99/ $1'),
        out: 'persons/ann edited\n',
      },
      { argv: 'get person ann -o json', json: { spec: { age: 99 } } },
      {
        argv: 'edit persons ann',
        env: editor('sed -i "s/age: 99/age: 999/" $1', 'true'),
        code: 5,
        out: '',
        err: [/spec\.age/, /^nothing was stored; your text is kept in \S+persons-ann\.yaml$/m],
      },
      {
        argv: 'edit persons ann',
        env: editor('echo "a: [" >> $1', 'sed -i "/^a:/d" $1; sed -i "s/age: 99/age: 98/" $1'),
        out: 'persons/ann edited\n',
      },
      {
        argv: 'edit persons ann',
        env: { EDITOR: 'false', TMPDIR: '.' },
        code: 1,
        err: 'error: the editor false ended with code 1\nnothing was stored\n',
      },
      {
        argv: 'edit persons ann',
        env: { EDITOR: 'no-such-editor', TMPDIR: '.' },
        code: 1,
        err: /command not found; set XSVC_EDITOR/,
      },
      {
        argv: 'edit persons ann',
        env: editor('echo "a: b" >> $1; return 3'),
        code: 1,
        err: /ended with code 3\nnothing was stored; your text is kept in \S+persons-ann\.yaml\n$/,
      },
      { argv: 'edit persons zed', env: { EDITOR: 'true', TMPDIR: '.' }, code: 3, err: /"zed" not found/ },
      { argv: 'edit persons', code: 2, err: /edit needs the name of an object/ },
    ],
  },
  {
    title:
      'edit refuses another name, and a version that is not the stored one, and does not begin again for ever',
    given: [person('ann')],
    before: (verbs) => verbs.patch(PERSON_REF, 'ann', { spec: { age: 3 } }, 'merge'),
    steps: [
      {
        argv: 'edit persons ann',
        env: editor('sed -i "s/name: ann/name: bob/" $1', 'true'),
        code: 5,
        err: /metadata\.name of the body is "bob"/,
      },
      {
        argv: 'edit persons ann',
        env: editor('sed -i "s/  name: ann/  name: ann\\n  version: 77/" $1', 'true'),
        code: 4,
        err: /metadata\.version is 1/,
      },
    ],
  },
];
