import { describe, expect, it } from 'vitest';
import { annotatedController } from '../../src/endpoint/controller.js';
import type { EndpointRequest, RouteSet } from '../../src/endpoint/route.js';
import {
  ApiVersion,
  DeleteMapping,
  GetMapping,
  mapMethods,
  PatchMapping,
  PostMapping,
  PutMapping,
  RequestMapping,
} from '../../src/index.js';

function routesOf(type: new () => object): RouteSet {
  const found = annotatedController(type);
  if (found.kind !== 'controller') throw new Error(`${type.name} is ${found.kind}`);
  return found.getEndpoint(new type()).endpoint() as RouteSet;
}

const paths = (type: new () => object): string[] =>
  routesOf(type).routes.map(({ method, path }) => `${method} ${path}`);

describe('annotated controllers', () => {
  it('map methods, with and without a path', async () => {
    @ApiVersion('api.demo.example.com/v1alpha1')
    @RequestMapping('/persons')
    class PersonController {
      readonly greeting = 'hello';
      @GetMapping('/{name}', (d) => d.operationId('GetPerson')) get({ params }: EndpointRequest): string {
        return `${this.greeting} ${params.name ?? ''}`;
      }
      @GetMapping list(): string[] {
        return [];
      }
      @PostMapping() create(): void {}
      @PutMapping(':name') put(): void {}
      @PatchMapping((d) => d.summary('Patches')) patch(): void {}
      @DeleteMapping('/') remove(): void {}
    }
    expect(() => routesOf(PersonController)).toThrow('PersonController.put');

    @ApiVersion('api.demo.example.com/v1alpha1')
    @RequestMapping('/persons')
    class Fixed extends PersonController {
      @PutMapping('/:name') override put(): void {}
    }
    expect(paths(Fixed)).toEqual([
      'GET /persons/{name}',
      'GET /persons',
      'POST /persons',
      'PATCH /persons',
      'DELETE /persons',
      'PUT /persons/{name}',
    ]);
    const { routes } = routesOf(Fixed);
    expect(routes[0]?.description.operationId).toBe('GetPerson');
    expect(routes[3]?.description.summary).toBe('Patches');
    expect(await routes[0]?.handler({ params: { name: 'ann' } } as never)).toBe('hello ann');
  });

  it('are not registered without @ApiVersion, and a class without any annotation is none', () => {
    class Forgotten {
      @GetMapping('/x') get(): void {}
    }
    @RequestMapping('/x')
    class OnlyBase {}
    class Plain {}
    expect(annotatedController(Forgotten)).toEqual({ kind: 'no-version', name: 'Forgotten' });
    expect(annotatedController(OnlyBase)).toEqual({ kind: 'no-version', name: 'OnlyBase' });
    expect(annotatedController(Plain)).toEqual({ kind: 'none' });
  });

  it('do not inherit the marker', () => {
    @ApiVersion('v1alpha1')
    class Base {
      @GetMapping('/x') get(): void {}
    }
    class Sub extends Base {}
    expect(annotatedController(Sub).kind).toBe('no-version');
    expect(annotatedController(Base)).toMatchObject({ kind: 'controller', groupVersion: 'v1alpha1' });
  });

  it('can be written in plain JavaScript', () => {
    class Plain {
      get(): void {}
      list(): void {}
    }
    ApiVersion('api.demo.example.com/v1alpha1')(Plain);
    RequestMapping('/things')(Plain);
    mapMethods(Plain, { get: GetMapping('/{name}'), list: GetMapping });
    expect(paths(Plain)).toEqual(['GET /things/{name}', 'GET /things']);
    expect(() => mapMethods(Plain, { missing: GetMapping })).toThrow('class Plain has no method "missing"');
  });

  it('refuse a bad version when the class is defined', () => {
    expect(() => ApiVersion('Bad Group/v1')(class Odd {})).toThrow('@ApiVersion of class Odd');
    expect(() => ApiVersion('a/b/c')(class Odd {})).toThrow('the version "b/c"');
  });

  it('map no static and no private members', () => {
    expect(() => {
      class Odd {
        @GetMapping static get(): void {}
      }
      return Odd;
    }).toThrow('@GetMapping: get must be a public instance method');
  });
});
