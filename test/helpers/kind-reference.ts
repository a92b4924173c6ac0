import { FULL_KINDS } from '../../src/kubernetes/inert/kinds.js';
import { startKubernetesServer } from './kubernetes.js';

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly ServedKind[] }[];
  }[];
}

interface ServedKind {
  readonly resource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: string;
  readonly shortNames?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const HEAD =
  '| kind | API version | resource | short names | scope | sub-resources | served with |\n' +
  '| --- | --- | --- | --- | --- | --- | --- |';

/** The kinds of Kubernetes that a service serves, as a table. */
export async function kindReference(): Promise<string> {
  const server = await startKubernetesServer({ kinds: 'full' });
  try {
    const rows: string[] = [];
    for (const target of ['/api', '/apis']) {
      const { items } = (
        await server.send('GET', target, { headers: { accept: ACCEPT } })
      ).json() as unknown as Discovery;
      const isOfKubernetes = ({ metadata: { name = '' } }: Discovery['items'][number]): boolean =>
        !name.includes('.') || name.endsWith('.k8s.io');
      const versions = items.filter(isOfKubernetes).flatMap((one) => one.versions);
      rows.push(...versions.flatMap(({ resources }) => resources.map(rowOf)));
    }
    return [HEAD, ...rows.sort()].join('\n');
  } finally {
    await server.close();
  }
}

const FULL = new Map(FULL_KINDS.map(({ group, kind, full }) => [`${group}/${kind}`, full]));

function rowOf({ resource, responseKind, scope, shortNames = [], subresources = [] }: ServedKind): string {
  const { group, version, kind } = responseKind;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const parts = subresources.map(({ subresource }) => subresource);
  const full = FULL.get(`${group}/${kind}`);
  const servedWith = full === undefined ? 'on, full' : full === 'inert' ? 'full (inert)' : 'full';
  return `| ${[kind, `\`${apiVersion}\``, `\`${resource}\``, shortNames.join(', '), scope, parts.join(', '), servedWith].join(' | ')} |`;
}
