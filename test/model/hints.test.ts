import { describe, expect, it } from 'vitest';
import { explainLines, parseSubject } from '../../src/cli/explain/explain.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import { compareResources } from '../../src/model/evolve/compare-schemas.js';
import type { JsonObject } from '../../src/model/object.js';
import type { Resource } from '../../src/model/resource.js';
import { toOpenApi } from '../../src/openapi/convert.js';
import { BAD_HINTS, GOOD_HINTS, hinted } from '../helpers/bad-hints.js';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' };

function register(given: object): Resource {
  class Thing extends AbstractExtension {
    static readonly schema = given;
  }
  GVK(NAMES)(Thing);
  return resourceOf(Thing);
}

const resourceOf = (model: ModelClass): Resource => new SchemeRegistry().register(model, 'test').resource;

describe('hints for the console in the schema of a class', () => {
  it.each(BAD_HINTS)('are refused when they have $name', ({ schema, path, member, text }) => {
    const place = path.length === 0 ? '' : `${path.join('.')}: `;
    expect(() => register(schema)).toThrow(
      `the schema of class Thing is invalid: ${place}x-xsvc-console${member} ${text}`,
    );
  });

  it.each(GOOD_HINTS)('stay as they are: %j', (schema) => {
    const { schema: registered } = register(schema);
    const { 'x-xsvc-console': hints } = schema as JsonObject;
    expect(registered['x-xsvc-console']).toEqual(hints);
  });

  it('are attributes of @Schema, on fields, items, nested classes and the model', () => {
    class Size {
      @Schema({ type: 'string', console: { width: 'half' } }) unit?: string;
    }
    class Spec {
      @Schema({ type: 'string', console: { widget: 'markdown' } }) text?: string;
      @Schema({ type: Size, console: { hidden: true } }) size?: Size;
      @Schema({ items: { type: 'string', console: { widget: 'image' } } }) images?: string[];
    }
    @Schema({ console: { title: 'spec.text', icon: 'tags', columns: ['spec.size.unit'] } })
    class Thing extends AbstractExtension {
      @Schema({ type: Spec }) spec?: Spec;
    }
    GVK(NAMES)(Thing);
    const { schema } = resourceOf(Thing);
    expect(schema).toMatchObject({
      'x-xsvc-console': { title: 'spec.text', icon: 'tags', columns: ['spec.size.unit'] },
      $defs: {
        Spec: {
          properties: {
            text: { 'x-xsvc-console': { widget: 'markdown' } },
            size: { allOf: [{ $ref: '#/$defs/Size' }], 'x-xsvc-console': { hidden: true } },
            images: { items: { 'x-xsvc-console': { widget: 'image' } } },
          },
        },
        Size: { properties: { unit: { 'x-xsvc-console': { width: 'half' } } } },
      },
    });
  });

  it('may be those of a model where a field is one', () => {
    @Schema({ console: { title: 'metadata.name' } })
    class Part extends AbstractExtension {}
    GVK({ ...NAMES, kind: 'Part', plural: 'parts', singular: 'part' })(Part);
    class Thing extends AbstractExtension {
      @Schema({ type: Part }) part?: Part;
    }
    GVK(NAMES)(Thing);
    expect(() => resourceOf(Thing)).not.toThrow();
  });

  it('pass into OpenAPI, are no change of a model, and are left out by explain', () => {
    const hints = { title: 'spec.title', icon: 'tags' };
    const [before, after] = [register(hinted(undefined)), register(hinted(hints))];
    expect(toOpenApi(after.schema, () => undefined)['x-xsvc-console']).toEqual(hints);
    expect(compareResources(before, after)).toEqual([]);
    expect(explainLines(parseSubject([after], 'things.spec'), false)).toEqual(
      explainLines(parseSubject([before], 'things.spec'), false),
    );
  });
});
