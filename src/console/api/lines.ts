/** The lines of a stream, each as soon as it is complete. Ends when the stream breaks, and when the signal is aborted. */
export async function* splitLines(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // A caller that needs no more lines needs no connection.
    cancel();
  }
}
