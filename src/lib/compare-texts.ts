/** Compares by code points. JavaScript's order puts characters beyond 16 bits before some others. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [isHigh, isHighToo] = [isSurrogate(x), isSurrogate(y)];
    return isHigh === isHighToo ? x - y : isHigh ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
