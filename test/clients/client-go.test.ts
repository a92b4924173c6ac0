import { beforeAll, describe, expect, inject, it } from 'vitest';
import { fileOf, SITE, titled, tourOf, useControlPlane } from './clients.js';

const programs = inject('go');

describe.skipIf('missing' in programs)(titled('client-go', programs), () => {
  const plane = useControlPlane();
  let lines: string[] = [];
  beforeAll(async () => {
    lines = await tourOf(plane(), fileOf(programs, 'tour'), [SITE]);
  });

  it.each([
    'envtest',
    'namespaces',
    'configmaps',
    'secrets',
    'service accounts',
    'leases',
    'events of v1',
    'strategic merge patches',
    'informers',
    'the dynamic client',
    'the metadata client',
    'the scale client',
    'discovery',
    'access reviews',
    'deletecollection',
    'the deletion of a namespace',
    'events of events.k8s.io',
  ])('works with %s', (step) => {
    expect(lines.filter((line) => line.includes(` ${step}`))).toEqual([`ok ${step}`]);
  });
});
