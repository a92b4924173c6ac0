import { describe, expect, it } from 'vitest';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { PLUGIN_PHASES, Plugin } from '../../src/plugin/plugin-model.js';
import { example } from './helpers.js';

describe('the model of plugins', () => {
  const scheme = new SchemeRegistry().register(Plugin, 'platform', undefined, { allowReservedGroup: true });

  it('is served as plugins of plugin.platform.run/v1alpha1', () => {
    expect(scheme.resource).toMatchObject({
      group: 'plugin.platform.run',
      version: 'v1alpha1',
      kind: 'Plugin',
      plural: 'plugins',
      singular: 'plugin',
    });
    expect(scheme.resource.columns.map(({ name }) => name).slice(0, 2)).toEqual(['Phase', 'Version']);
  });

  it.each(PLUGIN_PHASES)('accepts a manifest with a status of phase %s', async (phase) => {
    const { manifest, directory } = await example('person');
    const status = {
      phase,
      message: 'm',
      lastStartTime: '2026-11-20T08:00:00.123Z',
      models: [
        { group: 'a.b', kind: 'C', plural: 'cs', version: 'v1', versions: ['v1'], objects: 2, unfit: 1 },
      ],
      endpoints: [],
      directory,
    };
    expect(scheme.validate(structuredClone({ ...manifest, spec: manifest.spec, status }))).toEqual({
      causes: [],
      unknown: [],
    });
  });

  it('refuses a switch that is neither on nor off', () => {
    const object = { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'Plugin', metadata: { name: 'a' } };
    const { causes } = scheme.validate({ ...object, spec: { enabled: 'perhaps' } });
    expect(causes.map(({ field }) => field)).toEqual(['spec.enabled']);
  });
});
