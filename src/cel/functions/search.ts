/** Up to so many characters, JavaScript's own search is quick; of longer ones it may take the product of both lengths. */
const SHORT_MAX = 16;

/** Where a part is first, from a place on; -1 when it is not there. Takes linear time. */
export function firstIndex(text: string, part: string, from = 0): number {
  if (part.length <= SHORT_MAX) return text.indexOf(part, from);
  for (const at of overlapping(text, part, from)) return at;
  return -1;
}

/** Where a part is last, up to a place; -1 when it is not there. Takes linear time. */
export function lastIndex(text: string, part: string, from = text.length): number {
  if (part.length <= SHORT_MAX) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of overlapping(text, part, 0)) {
    if (at > from) break;
    last = at;
  }
  return last;
}

/** What stands between the places of a separator, which is not empty. Takes linear time. */
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

/** All places of a part, by Knuth, Morris and Pratt. */
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

/** For each beginning of the part, how long its longest end is that is a beginning as well. */
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
