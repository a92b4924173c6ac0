/** A name of a program as words: `publishedAt` is `Published at`. */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .trim()
    .split(/\s+/);
  return words
    .map((word, i) => {
      if (/^[A-Z\d]{2,}$/.test(word)) return word;
      return i === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word.toLowerCase();
    })
    .join(' ');
}
