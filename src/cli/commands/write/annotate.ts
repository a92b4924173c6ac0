import type { Command } from 'commander';
import { defineTagging, type Tagging } from '../../labels-and-annotations.js';
import type { CommandContext } from '../shared.js';

const ANNOTATIONS: Tagging = {
  command: 'annotate',
  field: 'annotations',
  noun: 'annotation',
  aNoun: 'an annotation',
  said: { set: 'annotated', removed: 'annotated', same: 'not annotated' },
};

export function define(command: Command, context: CommandContext): void {
  defineTagging(command, context, ANNOTATIONS, [
    "xsvc annotate persons ada demo.example.com/note='asked twice'",
    'xsvc annotate persons --all demo.example.com/note-',
    'xsvc annotate -f person.yaml demo.example.com/reviewed=yes --overwrite',
  ]);
}
