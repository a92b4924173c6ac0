import { taggingCommand } from './tagging.js';

export const define = taggingCommand(
  {
    command: 'label',
    field: 'labels',
    noun: 'label',
    aNoun: 'a label',
    said: { set: 'labeled', removed: 'unlabeled', same: 'not labeled' },
  },
  [
    'xsvc label persons ada shift=late',
    'xsvc label persons ada bert demo.example.com/team=blue shift- --overwrite',
    'xsvc label persons -l demo.example.com/team=red shift=late --dry-run',
    'xsvc label persons ada --list',
  ],
);
