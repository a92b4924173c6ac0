import { hasCode } from '../../errors.js';
import type { ObjectDraft } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';

const READ = ['get', 'list', 'watch'];
const WRITE = [...READ, 'create', 'delete', 'deletecollection', 'patch', 'update'];
const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

interface DefaultRole {
  readonly name: string;
  readonly rules?: readonly object[];
  /** The roles that have its rules as well. */
  readonly partOf?: readonly string[];
  /** True for a role that has the rules of those that are part of it. */
  readonly isCombined?: true;
}

function onGroups(
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): object {
  return { apiGroups, resources, verbs };
}

/** Objects that viewers of a namespace may read; Secrets and roles are left out. */
const VIEWED = [
  onGroups(
    [''],
    [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
    READ,
  ),
  onGroups(['apps', 'autoscaling', 'batch', 'networking.k8s.io', 'policy'], ['*'], READ),
  onGroups(['coordination.k8s.io', 'discovery.k8s.io', 'events.k8s.io'], ['*'], READ),
];

const EDITED = [
  onGroups(
    [''],
    [
      'configmaps',
      'endpoints',
      'events',
      'persistentvolumeclaims',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
    ],
    WRITE,
  ),
  onGroups(['apps', 'autoscaling', 'batch', 'networking.k8s.io', 'policy'], ['*'], WRITE),
  onGroups(['coordination.k8s.io', 'events.k8s.io'], ['*'], WRITE),
];

/** The roles that manifests for Kubernetes expect. */
const DEFAULT_ROLES: readonly DefaultRole[] = [
  {
    name: 'cluster-admin',
    rules: [onGroups(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }],
  },
  { name: 'admin', isCombined: true },
  { name: 'edit', isCombined: true, partOf: ['admin'] },
  { name: 'view', isCombined: true, partOf: ['edit'] },
  {
    name: 'system:aggregate-to-admin',
    partOf: ['admin'],
    rules: [onGroups(['rbac.authorization.k8s.io'], ['roles', 'rolebindings'], WRITE)],
  },
  { name: 'system:aggregate-to-edit', partOf: ['edit'], rules: EDITED },
  { name: 'system:aggregate-to-view', partOf: ['view'], rules: VIEWED },
  {
    name: 'system:auth-delegator',
    rules: [
      onGroups(['authentication.k8s.io'], ['tokenreviews'], ['create']),
      onGroups(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
    ],
  },
];

/** Creates the roles that are absent. Those that were changed stay as they are. */
export async function openDefaultRoles(service: Service, roles: Resource): Promise<void> {
  const names = DEFAULT_ROLES.map(({ name }) => name);
  const found = await service.getMany(roles, names);
  const absent = DEFAULT_ROLES.filter((_, i) => found[i] === undefined);
  if (absent.length === 0) return;
  try {
    // One commit.
    await service.createTogether((create) => {
      for (const role of absent) create(roles, objectOf(role));
    });
  } catch (error) {
    // Another process was faster.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

function objectOf({ name, rules, partOf = [], isCombined }: DefaultRole): ObjectDraft {
  const labels = Object.fromEntries(partOf.map((role) => [`${AGGREGATE}${role}`, 'true']));
  const selector = { matchLabels: { [`${AGGREGATE}${name}`]: 'true' } };
  return {
    metadata: { name, labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels } },
    ...(rules && { rules }),
    ...(isCombined && { aggregationRule: { clusterRoleSelectors: [selector] } }),
  };
}
