/**
 * The lines of a stream, each as soon as it is complete. Ends with the stream, also when it breaks, when the signal is aborted,
 * and after a silence; an incomplete last line is left out.
 * @param silenceMs the longest time without any byte. Default: any
 */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  { signal, silenceMs }: { readonly signal?: AbortSignal; readonly silenceMs?: number } = {},
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  let rest = '';
  try {
    for (;;) {
      const timer = silenceMs === undefined ? undefined : setTimeout(cancel, silenceMs);
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      clearTimeout(timer);
      if (done || value === undefined) return;
      // Only the new part is searched: a line may be long.
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n');
      rest += first;
      for (const next of others) {
        yield rest;
        rest = next;
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // A caller that needs no more lines needs no connection.
    cancel();
  }
}
