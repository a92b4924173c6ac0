import type { ExtensionObject, JsonObject } from '../../model/object.js';
import type { StreamFormat } from '../input/stream.js';
import { getManifest } from '../output/manifest.js';

export interface ManifestTextOptions {
  /** True to include the `status`. Default: false. */
  readonly withStatus?: boolean;
}

/** Objects as manifests: the texts together are a complete file; one object is text at a time. */
export async function* manifestTexts(
  objects: AsyncIterable<ExtensionObject>,
  format: StreamFormat,
  { withStatus = false }: ManifestTextOptions,
): AsyncGenerator<string> {
  const { formatYaml } = await import('../../lib/json/yaml.js');
  let count = 0;
  if (format === 'json') yield '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [';
  for await (const object of objects) {
    const manifest = withoutStatusUnless(withStatus, getManifest(object));
    count += 1;
    switch (format) {
      case 'yaml':
        yield `---\n${formatYaml(manifest)}`;
        break;
      case 'ndjson':
        yield `${JSON.stringify(manifest)}\n`;
        break;
      case 'json':
        yield `${count === 1 ? '' : ','}\n${JSON.stringify(manifest, undefined, 2).replace(/^|\n/g, '$&    ')}`;
    }
  }
  if (format === 'json') yield count === 0 ? ']\n}\n' : '\n  ]\n}\n';
}

function withoutStatusUnless(withStatus: boolean, manifest: JsonObject): JsonObject {
  if (withStatus) return manifest;
  const { status: _, ...rest } = manifest;
  return rest;
}
