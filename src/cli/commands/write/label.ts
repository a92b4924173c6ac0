import type { Command } from 'commander';
import { defineTagging, type Tagging } from '../../labels-and-annotations.js';
import type { CommandContext } from '../shared.js';

const LABELS: Tagging = {
  command: 'label',
  field: 'labels',
  noun: 'label',
  aNoun: 'a label',
  said: { set: 'labeled', removed: 'unlabeled', same: 'not labeled' },
};

export function define(command: Command, context: CommandContext): void {
  defineTagging(command, context, LABELS, [
    'xsvc label persons ada shift=late',
    'xsvc label persons ada bert demo.example.com/team=blue shift- --overwrite',
    'xsvc label persons -l demo.example.com/team=red shift=late --dry-run',
    'xsvc label persons ada --list',
  ]);
}
