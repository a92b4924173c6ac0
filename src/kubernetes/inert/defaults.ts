import { cloneJson, isRecord } from '../../lib/json/json.js';
import type { MessageType } from '../message-types.js';
import { RULES, type Members } from './default-rules.js';

const SELECTORS = { namespaceSelector: {}, objectSelector: {} };
const WEBHOOK = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', ...SELECTORS, timeoutSeconds: 10 };

/** Values of fields that are absent, by message and field. They are those that Kubernetes sets. */
const VALUES: Readonly<Record<string, Members>> = {
  'api.admissionregistration.v1.MatchResources': { ...SELECTORS, matchPolicy: 'Equivalent' },
  'api.admissionregistration.v1.MutatingWebhook': { ...WEBHOOK, reinvocationPolicy: 'Never' },
  'api.admissionregistration.v1.Rule': { scope: '*' },
  'api.admissionregistration.v1.ServiceReference': { port: 443 },
  'api.admissionregistration.v1.ValidatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  'api.admissionregistration.v1.ValidatingWebhook': WEBHOOK,
  'api.apps.v1.DaemonSetSpec': { updateStrategy: { type: 'RollingUpdate' }, revisionHistoryLimit: 10 },
  'api.apps.v1.DeploymentSpec': {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  },
  'api.apps.v1.ReplicaSetSpec': { replicas: 1 },
  'api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  },
  'api.apps.v1.StatefulSetSpec': {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    persistentVolumeClaimRetentionPolicy: {},
    revisionHistoryLimit: 10,
  },
  'api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'api.autoscaling.v2.HorizontalPodAutoscalerSpec': {
    minReplicas: 1,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ],
  },
  'api.batch.v1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
  'api.batch.v1.JobSpec': { completionMode: 'NonIndexed', suspend: false },
  'api.core.v1.ConfigMapVolumeSource': { defaultMode: 0o644 },
  'api.core.v1.Container': {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
  },
  'api.core.v1.ContainerPort': { protocol: 'TCP' },
  'api.core.v1.DownwardAPIVolumeSource': { defaultMode: 0o644 },
  'api.core.v1.EndpointPort': { protocol: 'TCP' },
  'api.core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'api.core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'api.core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'api.core.v1.PersistentVolumeSpec': {
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
  },
  'api.core.v1.PodSpec': {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
  'api.core.v1.Probe': { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
  'api.core.v1.ProjectedVolumeSource': { defaultMode: 0o644 },
  'api.core.v1.ReplicationControllerSpec': { replicas: 1 },
  'api.core.v1.SecretVolumeSource': { defaultMode: 0o644 },
  'api.core.v1.ServiceAccountTokenProjection': { expirationSeconds: 3_600 },
  'api.core.v1.ServicePort': { protocol: 'TCP' },
  'api.core.v1.ServiceSpec': { type: 'ClusterIP', sessionAffinity: 'None' },
  'api.discovery.v1.EndpointPort': { name: '', protocol: 'TCP' },
  'api.networking.v1.IngressClassParametersReference': { scope: 'Cluster' },
  'api.networking.v1.NetworkPolicyPort': { protocol: 'TCP' },
  'api.rbac.v1.RoleRef': { apiGroup: 'rbac.authorization.k8s.io' },
  'api.scheduling.v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'api.storage.v1.CSIDriverSpec': {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  },
  'api.storage.v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
};

/** Sets the defaults of a message, and of all messages in it, in place. The value may have any form. */
export function setMessageDefaults(value: unknown, type: MessageType): void {
  if (!isRecord(value)) return;
  for (const [name, standard] of Object.entries(VALUES[type.name] ?? {}))
    if (isAbsent(value[name])) value[name] = cloneJson(standard);
  RULES[type.name]?.(value);
  for (const field of type.fields) {
    if (field === undefined || typeof field.type !== 'object') continue;
    const { type: inner, form, name } = field;
    if (field.isInline) setMessageDefaults(value, inner);
    else if (!Object.hasOwn(value, name)) continue;
    else if (form === 'single') setMessageDefaults(value[name], inner);
    else for (const item of itemsOf(value[name])) setMessageDefaults(item, inner);
  }
}

/** Go's zero values stand for absent ones. */
function isAbsent(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
}
