const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes in the largest unit that fits. */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? 'B'}`;
}

/** `3 objects`, `1 object`. */
export function counted(count: number, noun: string): string {
  const many = noun.endsWith('x') ? `${noun}es` : `${noun}s`;
  return `${count} ${count === 1 ? noun : many}`;
}
