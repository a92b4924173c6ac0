/** The code in the thread of a `Converter`. */
import { answerRequests } from '../../lib/process/thread.js';
import { convert, readYamlBody, toYaml, type YamlConversion } from './conversion.js';
import type { ConversionAnswer, ConversionRequest } from './converter.js';

answerRequests((request: ConversionRequest): ConversionAnswer => {
  switch (request.kind) {
    case 'items':
      return convertInto(Buffer.from(request.into), request.conversion) ?? whole(request.conversion);
    case 'document':
      return toYaml(request.json);
    case 'body':
      return readYamlBody(request.yaml);
  }
});

/** @returns number of bytes written; undefined when the room is too small */
function convertInto(room: Buffer, conversion: YamlConversion): number | undefined {
  let used = 0;
  for (const text of convert(conversion)) {
    if (Buffer.byteLength(text) > room.length - used) return undefined;
    used += room.write(text, used);
  }
  return used;
}

function whole(conversion: YamlConversion): Uint8Array {
  return Buffer.from([...convert(conversion)].join(''));
}
