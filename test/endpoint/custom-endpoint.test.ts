import { describe, expect, it } from 'vitest';
import {
  getAudience,
  isCustomEndpoint,
  parseGroupVersion,
  readEndpoint,
} from '../../src/endpoint/custom-endpoint.js';
import { endpointOf } from './server.js';

describe('custom endpoints', () => {
  it('are recognized by their members, of an object or a prototype', () => {
    class Endpoint {
      groupVersion(): string {
        return 'a/b';
      }
      endpoint(): void {}
    }
    expect(isCustomEndpoint(Endpoint.prototype)).toBe(true);
    expect(isCustomEndpoint(endpointOf((r) => r))).toBe(true);
    expect(isCustomEndpoint({ groupVersion: 'a/b', endpoint: () => undefined })).toBe(false);
    expect(isCustomEndpoint({})).toBe(false);
  });

  it.each([
    ['console.api.demo.example.com', 'console', 'demo.example.com'],
    ['uc.api.demo.example.com', 'uc', 'demo.example.com'],
    ['api.demo.example.com', 'public', 'demo.example.com'],
    ['demo.example.com', 'other', 'demo.example.com'],
    ['other.api.demo.example.com', 'other', 'other.api.demo.example.com'],
    ['api', 'other', 'api'],
  ])('of the group %s are for %s', (group, audience, modelGroup) => {
    expect(getAudience(group)).toEqual({ audience, modelGroup });
  });

  it('name their group and version in three ways', () => {
    expect(parseGroupVersion('api.x.org/v1', '')).toEqual({ group: 'api.x.org', version: 'v1' });
    expect(parseGroupVersion({ group: 'api.x.org', version: 'v1' }, '')).toEqual({
      group: 'api.x.org',
      version: 'v1',
    });
    expect(parseGroupVersion('v1alpha1', '')).toEqual({ group: undefined, version: 'v1alpha1' });
    for (const bad of [
      '',
      '/v1',
      'api.x.org/',
      'API/v1',
      'a/b/c',
      7,
      null,
      { group: 'a' },
      { group: '', version: 'v1' },
    ])
      expect(() => parseGroupVersion(bad, 'endpoint E'), JSON.stringify(bad)).toThrow('endpoint E');
  });

  it('lie below the prefix of their group, or that of older plugins', () => {
    const modern = endpointOf((r) => r.GET('/x', () => 1), 'api.demo.example.com/v1');
    expect(readEndpoint('toys', modern, false)).toMatchObject({
      prefix: '/apis/api.demo.example.com/v1',
      audience: 'public',
    });
    const legacy = endpointOf((r) => r.GET('/x', () => 1), 'v1alpha1');
    expect(readEndpoint('toys', legacy, false)).toMatchObject({
      prefix: '/apis/plugin.api.platform.run/v1alpha1/plugins/toys',
      audience: 'other',
      modelGroup: undefined,
    });
  });

  it('may use groups of the platform only when their plugin is one of the platform', () => {
    const endpoint = endpointOf((r) => r.GET('/x', () => 1), 'console.api.platform.run/v1');
    expect(() => readEndpoint('toys', endpoint, false)).toThrow('plugin "toys": an endpoint');
    expect(() => readEndpoint('toys', endpoint, false)).toThrow('"console.api.platform.run" is reserved');
    expect(readEndpoint('toys', endpoint, true).group).toBe('console.api.platform.run');
  });

  it('must have routes', () => {
    for (const bad of [undefined, {}, { routes: [{}] }, Promise.resolve({ routes: [] })]) {
      const endpoint = { groupVersion: () => 'api.x.org/v1', endpoint: () => bad as never };
      expect(() => readEndpoint('toys', endpoint, false)).toThrow('endpoint() must return a RouteSet');
    }
  });
});
