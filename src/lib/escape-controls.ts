/** Control characters (C0, DEL, C1) and those that change the direction of text. */
// eslint-disable-next-line no-control-regex -- these are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the text on one line, without characters that control a terminal. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, escapeOne);
}

/** Like {@link escapeControls}, but keeps line ends and tabs. */
export function escapeLines(text: string): string {
  return text.replace(CONTROL, (character) => (/[\n\t]/.test(character) ? character : escapeOne(character)));
}

function escapeOne(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
