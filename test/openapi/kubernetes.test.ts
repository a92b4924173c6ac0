import { describe, expect, it } from 'vitest';
import { KubernetesDescriber } from '../../src/openapi/kubernetes.js';
import { faultsOf, person, pet, renamed, type DocumentValue } from './helpers.js';

function documentOf(describer: KubernetesDescriber, path: string): DocumentValue {
  const document = describer.find([person, pet], path);
  if (document === undefined) throw new Error('there is no such document');
  return JSON.parse(document.json().toString()) as DocumentValue;
}

describe('the description for Kubernetes clients', () => {
  it('has an index with a mark for each group and version', () => {
    const describer = new KubernetesDescriber('1.2.3');
    const core = renamed(pet, { group: '', version: 'v1' });
    const { paths } = describer.index([person, pet, core]) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths).sort()).toEqual(['api/v1', 'apis/demo.example.com/v1']);
    const url = paths['apis/demo.example.com/v1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/apis\/demo\.example\.com\/v1\?hash=[\w-]+$/);
    const { tag } = describer.find([person, pet, core], 'apis/demo.example.com/v1') ?? {};
    expect(url).toBe(`/openapi/v3/apis/demo.example.com/v1?hash=${tag ?? ''}`);
    const changed = describer.index([person, core]) as typeof describer & { paths: typeof paths };
    expect(changed.paths['apis/demo.example.com/v1']?.serverRelativeURL).not.toBe(url);
    expect(changed.paths['api/v1']).toEqual(paths['api/v1']);
  });

  it('calls schemas by group backwards, and marks them and the operations', async () => {
    const document = documentOf(new KubernetesDescriber('1.2.3'), 'apis/demo.example.com/v1');
    expect(document.components.schemas['com.example.demo.v1.Person']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'demo.example.com', version: 'v1', kind: 'Person' }],
    });
    expect(document.components.schemas).toHaveProperty(['com.example.demo.v1.PetSpec']);
    const patch = document.paths['/apis/demo.example.com/v1/persons/{name}']?.patch;
    expect(patch).toMatchObject({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'demo.example.com', version: 'v1', kind: 'Person' },
    });
    // Clients look for it by name, and follow no reference.
    expect(patch?.parameters?.map(({ name }) => name)).toContain('fieldValidation');
    expect(await faultsOf(document)).toEqual([]);
  });

  it('knows no group and version without models', () => {
    const describer = new KubernetesDescriber('1.2.3');
    expect(describer.find([person], 'apis/other.example.com/v1')).toBeUndefined();
  });
});
