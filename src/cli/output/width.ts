const PLAIN = /^[\x20-\x7e]*$/;
const ZERO = /^[\p{Mark}\p{Cf}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\ufe0f?\u20e3/u;

/** Blocks of characters with a width of two columns (Unicode UAX 11: W and F). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The width of a text in columns of a terminal. */
export function getWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - getWidth(text)));
}

/** The text itself, or its beginning and `…`, within the given number of columns. */
export function cutTo(text: string, width: number): string {
  if (getWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOfGrapheme(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

function widthOfGrapheme(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
