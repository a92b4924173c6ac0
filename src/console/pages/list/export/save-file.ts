/** A name for a file that states its content and the day. */
export function formatFileName(content: string, ending: string, now = new Date()): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${content}-${day.join('-')}.${ending}`;
}

/** The time for the browser to start the download before the memory is released. */
const SAVING_MS = 60_000;

export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS);
}
