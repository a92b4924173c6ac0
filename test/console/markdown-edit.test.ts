import { describe, expect, it } from 'vitest';
import { MARKS, type MarkName } from '../../src/console/form/markdown/markdown-edit.js';

/** A text in which `«` and `»` stand around what is selected; one `|` is a cursor. */
function edit(name: MarkName, marked: string): string {
  const start = marked.search(/[«|]/);
  const text = marked.replaceAll(/[«»|]/g, '');
  const end = marked.includes('»') ? marked.indexOf('»') - 1 : start;
  const after = MARKS[name]({ text, start, end });
  const chosen = after.text.slice(after.start, after.end);
  const inside = after.start === after.end ? '|' : `«${chosen}»`;
  return after.text.slice(0, after.start) + inside + after.text.slice(after.end);
}

describe('the buttons of a text in Markdown', () => {
  it.each<[MarkName, string, string]>([
    ['bold', 'a «word» here', 'a **«word»** here'],
    ['bold', 'a **«word»** here', 'a «word» here'],
    ['bold', '|', '**|**'],
    ['italic', '«a»', '_«a»_'],
    ['code', '«ls»', '`«ls»`'],
    ['link', 'see «docs»', 'see [docs](«https://»)'],
    ['link', '|', '[](«https://»)'],
    ['heading', 'one\ntw|o\nthree', 'one\n## two|\nthree'],
    ['heading', '### tw|o', 'two|'],
    ['list', 'a\n«b\nc»\nd', 'a\n«- b\n- c»\nd'],
    ['list', '«* a\n- b»', '«a\nb»'],
    ['list', '«- a\nb»', '«- a\n- b»'],
    ['list', '«a\n»b', '- a|\nb'],
    ['steps', '«a\nb\nc»', '«1. a\n2. b\n3. c»'],
    ['quote', '|', '> |'],
    ['quote', '> |a', 'a|'],
    ['bold', '«👩‍🔬 ü»', '**«👩‍🔬 ü»**'],
  ])('%s of %j gives %j', (name, before, after) => {
    expect(edit(name, before)).toBe(after);
  });
});
