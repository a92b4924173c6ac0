/** A text and what is selected in it. */
export interface Selected {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export type MarkName = 'bold' | 'italic' | 'code' | 'link' | 'heading' | 'list' | 'steps' | 'quote';

type Edit = (selected: Selected) => Selected;

/** The edits of the buttons, by their names. Each takes its mark away where it is already. */
export const MARKS: Readonly<Record<MarkName, Edit>> = {
  bold: (selected) => around(selected, '**'),
  italic: (selected) => around(selected, '_'),
  code: (selected) => around(selected, '`'),
  link: (selected) => link(selected),
  heading: (selected) => lines(selected, /^#{1,6} /, () => '## '),
  list: (selected) => lines(selected, /^[-*+] /, () => '- '),
  steps: (selected) => lines(selected, /^\d+[.)] /, (i) => `${i + 1}. `),
  quote: (selected) => lines(selected, /^> ?/, () => '> '),
};

function around({ text, start, end }: Selected, mark: string): Selected {
  const { length } = mark;
  const before = text.slice(0, start);
  const chosen = text.slice(start, end);
  const after = text.slice(end);
  if (before.endsWith(mark) && after.startsWith(mark))
    return {
      text: before.slice(0, -length) + chosen + after.slice(length),
      start: start - length,
      end: end - length,
    };
  return { text: before + mark + chosen + mark + after, start: start + length, end: end + length };
}

/** The address is selected, because it is typed next. */
function link({ text, start, end }: Selected): Selected {
  const chosen = text.slice(start, end);
  const written = `[${chosen}](https://)`;
  const address = start + chosen.length + 3;
  return {
    text: text.slice(0, start) + written + text.slice(end),
    start: address,
    end: address + 'https://'.length,
  };
}

/** Changes the beginnings of the lines that are selected, or of the line with the cursor. */
function lines({ text, start, end }: Selected, mark: RegExp, markOf: (i: number) => string): Selected {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', Math.max(end - 1, start));
  const to = newline === -1 ? text.length : newline;
  const chosen = text.slice(from, to).split('\n');
  const isMarked = chosen.every((line) => mark.test(line));
  const changed = chosen.map((line, i) => (isMarked ? '' : markOf(i)) + line.replace(mark, '')).join('\n');
  return {
    text: text.slice(0, from) + changed + text.slice(to),
    start: chosen.length === 1 ? from + changed.length : from,
    end: from + changed.length,
  };
}
