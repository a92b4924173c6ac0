/**
 * Longest part, in characters, for which JavaScript's search is used. For longer parts its time may be the product of
 * both lengths.
 */
const SHORT_MAX = 16;

/** The first index of a part, from a position on; -1 when the text does not contain it. Takes linear time. */
export function firstIndex(text: string, part: string, from = 0): number {
  if (part.length <= SHORT_MAX) return text.indexOf(part, from);
  for (const at of overlapping(text, part, from)) return at;
  return -1;
}

/** The last index of a part, up to a position; -1 when the text does not contain it. Takes linear time. */
export function lastIndex(text: string, part: string, from = text.length): number {
  if (part.length <= SHORT_MAX) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of overlapping(text, part, 0)) {
    if (at > from) break;
    last = at;
  }
  return last;
}

/** The texts between the occurrences of a separator, which is not empty. Takes linear time. */
export function partsBetween(text: string, separator: string): string[] {
  if (separator.length <= SHORT_MAX) return text.split(separator);
  const parts: string[] = [];
  let start = 0;
  for (const at of overlapping(text, separator, 0)) {
    if (at < start) continue;
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** All indexes of a part, by the algorithm of Knuth, Morris and Pratt. */
function* overlapping(text: string, part: string, from: number): Generator<number, void> {
  const back = borders(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = back[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched < part.length) continue;
    yield at - part.length + 1;
    matched = back[matched - 1] ?? 0;
  }
}

/** For each prefix of the part, the length of its longest proper suffix that is also a prefix. */
function borders(part: string): Int32Array {
  const lengths = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== unit) length = lengths[length - 1] ?? 0;
    if (part.charCodeAt(length) === unit) length++;
    lengths[at] = length;
  }
  return lengths;
}
