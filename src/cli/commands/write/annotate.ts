import { taggingCommand } from './tagging.js';

export const define = taggingCommand(
  {
    command: 'annotate',
    field: 'annotations',
    noun: 'annotation',
    aNoun: 'an annotation',
    said: { set: 'annotated', removed: 'annotated', same: 'not annotated' },
  },
  [
    "xsvc annotate persons ada demo.example.com/note='asked twice'",
    'xsvc annotate persons --all demo.example.com/note-',
    'xsvc annotate -f person.yaml demo.example.com/reviewed=yes --overwrite',
  ],
);
