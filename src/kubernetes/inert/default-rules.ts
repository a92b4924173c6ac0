import { isRecord } from '../../lib/json/json.js';

export type Members = Readonly<Record<string, unknown>>;
type Open = Record<string, unknown>;

/** Defaults that depend on other fields, by message. Each sets members of a value in place. */
export const RULES: Readonly<Record<string, ((value: Open) => void) | undefined>> = {
  'api.apps.v1.DaemonSetUpdateStrategy': (strategy) => {
    if (strategy.type === 'RollingUpdate')
      fill(strategy, 'rollingUpdate', { maxSurge: 0, maxUnavailable: 1 });
  },
  'api.apps.v1.DeploymentStrategy': (strategy) => {
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate')
      fill(strategy, 'rollingUpdate', { maxSurge: '25%', maxUnavailable: '25%' });
  },
  'api.batch.v1.Job': (job) => takeLabels(job),
  'api.batch.v1.JobSpec': (spec) => {
    if (spec.parallelism === undefined && spec.completions === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647;
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  },
  'api.core.v1.Container': (container) => {
    if (typeof container.image === 'string') container.imagePullPolicy ??= pullPolicyOf(container.image);
  },
  'api.core.v1.Pod': ({ spec }) => {
    if (isRecord(spec)) spec.enableServiceLinks ??= true;
  },
  'api.core.v1.PodSpec': (spec) => {
    const account = spec.serviceAccountName ?? spec.serviceAccount;
    if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  },
  'api.core.v1.ReplicationController': (controller) => {
    takeLabels(controller);
    const { spec } = controller;
    if (isRecord(spec) && isEmpty(spec.selector) && !isEmpty(templateLabels(controller)))
      spec.selector = { ...templateLabels(controller) };
  },
  'api.core.v1.ServicePort': (port) => {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
      port.targetPort = port.port;
  },
  'api.core.v1.ServiceSpec': (spec) => {
    const isOutside = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
    if (isOutside) spec.externalTrafficPolicy ??= 'Cluster';
    if (isOutside || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
    if (spec.sessionAffinity === 'ClientIP')
      spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10_800 } };
  },
  'api.core.v1.Volume': (volume) => {
    if (Object.keys(volume).every((name) => name === 'name')) volume.emptyDir = {};
  },
  'api.networking.v1.NetworkPolicySpec': (spec) => {
    if (isEmpty(spec.policyTypes))
      spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  'api.rbac.v1.Subject': (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ??= 'rbac.authorization.k8s.io';
  },
};

/** Sets the absent members of a member. */
function fill(value: Open, name: string, members: Members): void {
  const known = value[name] ?? {};
  if (isRecord(known)) value[name] = { ...members, ...known };
}

function takeLabels(object: Open): void {
  const { metadata } = object;
  const labels = templateLabels(object);
  if (isRecord(metadata) && isEmpty(metadata.labels) && !isEmpty(labels)) metadata.labels = { ...labels };
}

function templateLabels({ spec }: Open): Members {
  const template = isRecord(spec) ? spec.template : undefined;
  const metadata = isRecord(template) ? template.metadata : undefined;
  return isRecord(metadata) && isRecord(metadata.labels) ? metadata.labels : {};
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

/** An image without a tag, and without a digest, is the latest one. */
function pullPolicyOf(image: string): string {
  const [, tag = image.includes('@') ? '' : 'latest'] = /:([^:/@]+)(?:@|$)/.exec(image) ?? [];
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
