import { modelHint } from '../../model/schema/hints.js';
import type { Column, ScaledMembers } from '../../model/resource.js';
import { ADMISSION_KINDS } from '../admission/kinds.js';
import { count, CREATED_AT, date, labels, pathText, stored, text, total, type CoreKind } from '../kind.js';
import { AUTOSCALER_V1 } from './autoscaler.js';
import { RBAC_KINDS } from './rbac-kinds.js';

type Given = Pick<CoreKind, 'kind' | 'plural'> & Partial<CoreKind>;

/** The message of a kind is named like the package of its group, which is named like the first part of the group. */
function inert(group: string, given: Given): CoreKind {
  const { kind, version = 'v1' } = given;
  const [inPackage = ''] = group === '' ? ['core'] : group.split('.');
  return stored({
    group,
    message: `api.${inPackage}.${version}.${kind}`,
    scope: 'Namespaced',
    full: 'inert',
    ...given,
  });
}

const ALL = { categories: ['all'] };
const PODS = '.spec.template.spec.containers[*]';
const ofPods = (path = PODS): readonly Column[] => [
  text('Containers', `${path}.name`, 1),
  text('Images', `${path}.image`, 1),
];
const scaled = (labelSelectorPath = '.spec.selector'): { readonly scale: ScaledMembers } => ({
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath },
});
const DESIRED = [
  count('Desired', '.spec.replicas'),
  count('Current', '.status.replicas'),
  count('Ready', '.status.readyReplicas'),
];

const CORE: readonly CoreKind[] = [
  inert('', {
    kind: 'Endpoints',
    lacksStatus: true,
    hint: modelHint('link', 'Endpunkte', 'Endpunkt'),
    plural: 'endpoints',
    shortNames: ['ep'],
    columns: [text('Endpoints', '.subsets[*].addresses[*].ip')],
  }),
  inert('', {
    kind: 'LimitRange',
    lacksStatus: true,
    hint: modelHint('settings', 'Grenzen', 'Grenze'),
    plural: 'limitranges',
    shortNames: ['limits'],
    columns: CREATED_AT,
  }),
  inert('', {
    kind: 'Node',
    hint: modelHint('plug', 'Knoten', 'Knoten'),
    plural: 'nodes',
    shortNames: ['no'],
    scope: 'Cluster',
    columns: [
      text('Version', '.status.nodeInfo.kubeletVersion'),
      text('OS-Image', '.status.nodeInfo.osImage', 1),
    ],
  }),
  inert('', {
    kind: 'PersistentVolume',
    hint: modelHint('folder', 'Datenträger', 'Datenträger'),
    plural: 'persistentvolumes',
    shortNames: ['pv'],
    scope: 'Cluster',
    columns: [
      text('Capacity', '.spec.capacity.storage'),
      text('Access Modes', '.spec.accessModes[*]'),
      text('Reclaim Policy', '.spec.persistentVolumeReclaimPolicy'),
      text('Status', '.status.phase'),
      text('Claim', '.spec.claimRef.name'),
      text('StorageClass', '.spec.storageClassName'),
      text('VolumeMode', '.spec.volumeMode', 1),
    ],
  }),
  inert('', {
    kind: 'PersistentVolumeClaim',
    hint: modelHint('folder', 'Ansprüche auf Datenträger', 'Anspruch auf Datenträger'),
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    columns: [
      text('Status', '.status.phase'),
      text('Volume', '.spec.volumeName'),
      text('Capacity', '.status.capacity.storage'),
      text('Access Modes', '.status.accessModes[*]'),
      text('StorageClass', '.spec.storageClassName'),
      text('VolumeMode', '.spec.volumeMode', 1),
    ],
  }),
  inert('', {
    kind: 'Pod',
    hint: modelHint('box', 'Pods', 'Pod'),
    plural: 'pods',
    shortNames: ['po'],
    ...ALL,
    columns: [
      text('Status', '.status.phase'),
      text('IP', '.status.podIP', 1),
      text('Node', '.spec.nodeName', 1),
    ],
    fieldLabels: labels(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.nominatedNodeName',
      'status.phase',
      'status.podIP',
    ),
  }),
  inert('', {
    kind: 'PodTemplate',
    lacksStatus: true,
    hint: modelHint('box', 'Pod-Vorlagen', 'Pod-Vorlage'),
    plural: 'podtemplates',
    columns: [
      text('Containers', '.template.spec.containers[*].name'),
      text('Images', '.template.spec.containers[*].image'),
    ],
  }),
  inert('', {
    kind: 'ReplicationController',
    hint: modelHint('copy', 'Replikationssteuerungen', 'Replikationssteuerung'),
    plural: 'replicationcontrollers',
    shortNames: ['rc'],
    ...ALL,
    ...scaled(),
    columns: [...DESIRED, ...ofPods()],
  }),
  inert('', {
    kind: 'ResourceQuota',
    hint: modelHint('chart', 'Kontingente', 'Kontingent'),
    plural: 'resourcequotas',
    shortNames: ['quota'],
  }),
  inert('', {
    kind: 'Service',
    hint: modelHint('globe', 'Dienste', 'Dienst'),
    plural: 'services',
    shortNames: ['svc'],
    ...ALL,
    columns: [
      text('Type', '.spec.type'),
      text('Cluster-IP', '.spec.clusterIP'),
      text('External-IP', '.status.loadBalancer.ingress[*].ip'),
      text('Port(s)', '.spec.ports[*].port'),
    ],
    fieldLabels: labels('spec.clusterIP', 'spec.type'),
  }),
];

const APPS: readonly CoreKind[] = [
  inert('apps', {
    kind: 'ControllerRevision',
    lacksStatus: true,
    hint: modelHint('list', 'Revisionen', 'Revision'),
    plural: 'controllerrevisions',
    columns: [
      text('Controller', '.metadata.ownerReferences[*].name'),
      { name: 'Revision', jsonPath: '.revision', type: 'integer' },
    ],
  }),
  inert('apps', {
    kind: 'DaemonSet',
    hint: modelHint('copy', 'Daemon-Sets', 'Daemon-Set'),
    plural: 'daemonsets',
    shortNames: ['ds'],
    ...ALL,
    columns: [
      count('Desired', '.status.desiredNumberScheduled'),
      count('Current', '.status.currentNumberScheduled'),
      count('Ready', '.status.numberReady'),
      count('Up-to-date', '.status.updatedNumberScheduled'),
      count('Available', '.status.numberAvailable'),
      ...ofPods(),
    ],
  }),
  inert('apps', {
    kind: 'Deployment',
    hint: modelHint('package', 'Deployments', 'Deployment'),
    plural: 'deployments',
    shortNames: ['deploy'],
    ...ALL,
    ...scaled(),
    columns: [
      count('Desired', '.spec.replicas'),
      count('Ready', '.status.readyReplicas'),
      count('Up-to-date', '.status.updatedReplicas'),
      count('Available', '.status.availableReplicas'),
      ...ofPods(),
    ],
  }),
  inert('apps', {
    kind: 'ReplicaSet',
    hint: modelHint('copy', 'Replica-Sets', 'Replica-Set'),
    plural: 'replicasets',
    shortNames: ['rs'],
    ...ALL,
    ...scaled(),
    columns: [...DESIRED, ...ofPods()],
  }),
  inert('apps', {
    kind: 'StatefulSet',
    hint: modelHint('folder', 'Stateful-Sets', 'Stateful-Set'),
    plural: 'statefulsets',
    shortNames: ['sts'],
    ...ALL,
    ...scaled(),
    columns: [count('Desired', '.spec.replicas'), count('Ready', '.status.readyReplicas'), ...ofPods()],
  }),
];

const OTHERS: readonly CoreKind[] = [
  inert('autoscaling', {
    version: 'v2',
    kind: 'HorizontalPodAutoscaler',
    hint: modelHint('chart', 'Automatische Skalierungen', 'Automatische Skalierung'),
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    ...ALL,
    versions: [AUTOSCALER_V1],
    columns: [
      pathText('Reference', ".spec.scaleTargetRef['kind','name']"),
      count('MinPods', '.spec.minReplicas'),
      count('MaxPods', '.spec.maxReplicas'),
      count('Replicas', '.status.currentReplicas'),
    ],
  }),
  inert('batch', {
    kind: 'CronJob',
    hint: modelHint('calendar', 'Zeitgesteuerte Jobs', 'Zeitgesteuerter Job'),
    plural: 'cronjobs',
    shortNames: ['cj'],
    ...ALL,
    columns: [
      text('Schedule', '.spec.schedule'),
      text('Timezone', '.spec.timeZone'),
      { name: 'Suspend', jsonPath: '.spec.suspend', type: 'boolean' },
      date('Last Schedule', '.status.lastScheduleTime'),
      ...ofPods('.spec.jobTemplate.spec.template.spec.containers[*]'),
    ],
  }),
  inert('batch', {
    kind: 'Job',
    hint: modelHint('toggle', 'Jobs', 'Job'),
    plural: 'jobs',
    ...ALL,
    columns: [
      count('Completions', '.spec.completions'),
      count('Succeeded', '.status.succeeded'),
      ...ofPods(),
    ],
  }),
  inert('discovery.k8s.io', {
    kind: 'EndpointSlice',
    lacksStatus: true,
    hint: modelHint('link', 'Endpunkte eines Dienstes', 'Endpunkt eines Dienstes'),
    plural: 'endpointslices',
    columns: [
      text('AddressType', '.addressType'),
      text('Ports', '.ports[*].port'),
      text('Endpoints', '.endpoints[*].addresses[*]'),
    ],
  }),
  inert('networking.k8s.io', {
    kind: 'Ingress',
    hint: modelHint('globe', 'Zugänge', 'Zugang'),
    plural: 'ingresses',
    shortNames: ['ing'],
    columns: [
      text('Class', '.spec.ingressClassName'),
      text('Hosts', '.spec.rules[*].host'),
      text('Address', '.status.loadBalancer.ingress[*].ip'),
    ],
  }),
  inert('networking.k8s.io', {
    kind: 'IngressClass',
    lacksStatus: true,
    hint: modelHint('globe', 'Zugangsklassen', 'Zugangsklasse'),
    plural: 'ingressclasses',
    scope: 'Cluster',
    columns: [text('Controller', '.spec.controller'), text('Parameters', '.spec.parameters.name')],
  }),
  inert('networking.k8s.io', {
    kind: 'NetworkPolicy',
    lacksStatus: true,
    hint: modelHint('filter', 'Netzregeln', 'Netzregel'),
    plural: 'networkpolicies',
    shortNames: ['netpol'],
    columns: [text('Pod-Selector', '.spec.podSelector.matchLabels')],
  }),
  inert('policy', {
    kind: 'PodDisruptionBudget',
    hint: modelHint('filter', 'Ausfallgrenzen', 'Ausfallgrenze'),
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    columns: [
      text('Min Available', '.spec.minAvailable'),
      text('Max Unavailable', '.spec.maxUnavailable'),
      count('Allowed Disruptions', '.status.disruptionsAllowed'),
    ],
  }),
  inert('scheduling.k8s.io', {
    kind: 'PriorityClass',
    lacksStatus: true,
    hint: modelHint('list', 'Prioritäten', 'Priorität'),
    plural: 'priorityclasses',
    shortNames: ['pc'],
    scope: 'Cluster',
    columns: [
      count('Value', '.value'),
      { name: 'Global-Default', jsonPath: '.globalDefault', type: 'boolean' },
      text('PreemptionPolicy', '.preemptionPolicy'),
    ],
  }),
  inert('storage.k8s.io', {
    kind: 'CSIDriver',
    lacksStatus: true,
    hint: modelHint('folder', 'CSI-Treiber', 'CSI-Treiber'),
    plural: 'csidrivers',
    scope: 'Cluster',
    columns: [
      { name: 'AttachRequired', jsonPath: '.spec.attachRequired', type: 'boolean' },
      { name: 'PodInfoOnMount', jsonPath: '.spec.podInfoOnMount', type: 'boolean' },
      text('Modes', '.spec.volumeLifecycleModes[*]'),
    ],
  }),
  inert('storage.k8s.io', {
    kind: 'CSINode',
    lacksStatus: true,
    hint: modelHint('plug', 'CSI-Knoten', 'CSI-Knoten'),
    plural: 'csinodes',
    scope: 'Cluster',
    columns: [total('Drivers', '.spec.drivers[*]')],
  }),
  inert('storage.k8s.io', {
    kind: 'StorageClass',
    lacksStatus: true,
    hint: modelHint('folder', 'Speicherklassen', 'Speicherklasse'),
    plural: 'storageclasses',
    shortNames: ['sc'],
    scope: 'Cluster',
    columns: [
      text('Provisioner', '.provisioner'),
      text('ReclaimPolicy', '.reclaimPolicy'),
      text('VolumeBindingMode', '.volumeBindingMode'),
      { name: 'AllowVolumeExpansion', jsonPath: '.allowVolumeExpansion', type: 'boolean' },
    ],
  }),
  inert('storage.k8s.io', {
    kind: 'VolumeAttachment',
    hint: modelHint('link', 'Anbindungen von Datenträgern', 'Anbindung eines Datenträgers'),
    plural: 'volumeattachments',
    scope: 'Cluster',
    columns: [
      text('Attacher', '.spec.attacher'),
      text('PV', '.spec.source.persistentVolumeName'),
      text('Node', '.spec.nodeName'),
      { name: 'Attached', jsonPath: '.status.attached', type: 'boolean' },
    ],
  }),
];

/** Kinds whose objects are only stored, by group and kind. Nothing acts on them. */
export const INERT_KINDS: readonly CoreKind[] = [...CORE, ...APPS, ...OTHERS];

/** The kinds that `--kubernetes full` adds. */
export const FULL_KINDS: readonly CoreKind[] = [...INERT_KINDS, ...RBAC_KINDS, ...ADMISSION_KINDS];
