import type { Command } from 'commander';
import { defineTagging, type Tagging } from '../tagging.js';
import type { CommandContext } from './shared.js';

const LABELS: Tagging = {
  command: 'label',
  field: 'labels',
  noun: 'label',
  said: { set: 'labeled', removed: 'unlabeled', same: 'not labeled' },
};

export function define(command: Command, context: CommandContext): void {
  defineTagging(command, context, LABELS, [
    'xsvc label persons ann team=red',
    'xsvc label persons ann bob team=blue floor- --overwrite',
    'xsvc label persons -l team=red shift=late --dry-run',
    'xsvc label persons ann --list',
  ]);
}
