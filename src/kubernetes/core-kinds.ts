import { EVENT_PATHS } from '../events/names.js';
import { modelHint } from '../model/schema/hints.js';
import type { JsonObject } from '../model/object.js';
import { getApiVersion, type Column, type GroupVersionKind } from '../model/resource.js';

/** A kind of Kubernetes that the service serves itself, as data. */
export interface CoreKind extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** The name of its message in the data of Kubernetes. */
  readonly message: string;
  /** `review`: answered by a create, and never stored. */
  readonly use: 'stored' | 'review';
  /** Other groups in which its objects are served. */
  readonly views?: readonly KindView[];
  /** Columns beside the name and the age. */
  readonly columns: readonly Column[];
  /**
   * Labels of field selectors, with the paths of their values: the first path with a value counts. Every kind has
   * `metadata.name` and, in namespaces, `metadata.namespace` beside them.
   */
  readonly fieldLabels: Readonly<Record<string, readonly string[]>>;
  /** Further labels, whose values are times. */
  readonly timeLabels?: CoreKind['fieldLabels'];
  /** How the console displays it; absent for a review. */
  readonly hint?: JsonObject;
}

/** The objects of a kind in another group. Labels and columns differ in the same names as the objects. */
export interface KindView {
  readonly group: string;
  readonly version: string;
  readonly message: string;
  /** The members of the kind that have other names in the view, with those names. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Present when clients should stop using it: its replacement. */
  readonly deprecated?: string;
}

const CORE = 'api.core.v1';
const META = 'apimachinery.pkg.apis.meta.v1';
const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

const text = (name: string, jsonPath: string, priority = 0): Column => {
  return { name, jsonPath, type: 'string', priority };
};
const date = (name: string, jsonPath: string, priority = 0): Column => {
  return { name, jsonPath, type: 'date', priority };
};
const ofObject = (field: string): string[] =>
  ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (member) => `${field}.${member}`,
  );
const labels = (...paths: readonly string[]): CoreKind['fieldLabels'] =>
  Object.fromEntries(paths.map((path) => [path, [path]]));

type Names = Pick<CoreKind, 'kind' | 'plural' | 'scope' | 'message'> & Partial<CoreKind>;

function stored(names: Names): CoreKind {
  return {
    group: '',
    version: 'v1',
    singular: names.kind.toLowerCase(),
    shortNames: [],
    use: 'stored',
    columns: [],
    fieldLabels: {},
    ...names,
  };
}

function review(group: string, kind: string, scope: CoreKind['scope'] = 'Cluster'): CoreKind {
  const message = `api.${group.replace('.k8s.io', '')}.v1.${kind}`;
  return stored({ group, kind, plural: `${kind.toLowerCase()}s`, scope, message, use: 'review' });
}

/** All kinds of Kubernetes that the service serves, by group and kind. */
export const CORE_KINDS: readonly CoreKind[] = [
  stored({
    kind: 'Namespace',
    hint: modelHint('folder', 'Namensräume', 'Namensraum'),
    plural: 'namespaces',
    shortNames: ['ns'],
    scope: 'Cluster',
    message: `${CORE}.Namespace`,
    columns: [text('Status', '.status.phase')],
    fieldLabels: { 'status.phase': ['status.phase'], name: ['metadata.name'] },
  }),
  stored({
    kind: 'ConfigMap',
    hint: modelHint('settings', 'Konfigurationen', 'Konfiguration'),
    plural: 'configmaps',
    shortNames: ['cm'],
    scope: 'Namespaced',
    message: `${CORE}.ConfigMap`,
  }),
  stored({
    kind: 'Secret',
    hint: modelHint('key', 'Geheimnisse', 'Geheimnis'),
    plural: 'secrets',
    scope: 'Namespaced',
    message: `${CORE}.Secret`,
    columns: [text('Type', '.type')],
    fieldLabels: labels('type'),
  }),
  stored({
    kind: 'ServiceAccount',
    hint: modelHint('user', 'Dienstkonten', 'Dienstkonto'),
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    scope: 'Namespaced',
    message: `${CORE}.ServiceAccount`,
  }),
  stored({
    kind: 'Event',
    hint: modelHint('bell', 'Ereignisse', 'Ereignis'),
    plural: 'events',
    shortNames: ['ev'],
    scope: 'Namespaced',
    message: `${CORE}.Event`,
    columns: [
      date('Last Seen', EVENT_PATHS.lastSeen),
      text('Type', '.type'),
      text('Reason', '.reason'),
      text('Object', '.involvedObject.name'),
      text('Subobject', '.involvedObject.fieldPath', 1),
      text('Source', '.source.component', 1),
      text('Message', '.message'),
      date('First Seen', EVENT_PATHS.firstSeen, 1),
      { name: 'Count', jsonPath: EVENT_PATHS.count, type: 'integer', priority: 1 },
    ],
    fieldLabels: {
      ...labels(...ofObject('involvedObject'), 'reason', 'reportingComponent', 'type'),
      source: ['source.component', 'reportingComponent'],
    },
    timeLabels: { lastTimestamp: ['series.lastObservedTime', 'lastTimestamp', 'eventTime'] },
    views: [
      {
        group: 'events.k8s.io',
        version: 'v1',
        message: 'api.events.v1.Event',
        renamed: {
          involvedObject: 'regarding',
          message: 'note',
          source: 'deprecatedSource',
          firstTimestamp: 'deprecatedFirstTimestamp',
          lastTimestamp: 'deprecatedLastTimestamp',
          count: 'deprecatedCount',
          reportingComponent: 'reportingController',
        },
      },
      {
        group: 'events.platform.run',
        version: 'v1alpha1',
        message: `${CORE}.Event`,
        renamed: {},
        deprecated: 'use v1 Event',
      },
    ],
  }),
  stored({
    group: 'coordination.k8s.io',
    kind: 'Lease',
    hint: modelHint('link', 'Leases', 'Lease'),
    plural: 'leases',
    scope: 'Namespaced',
    message: 'api.coordination.v1.Lease',
    columns: [text('Holder', '.spec.holderIdentity')],
  }),
  stored({
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    hint: modelHint('braces', 'Modelldefinitionen', 'Modelldefinition'),
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    scope: 'Cluster',
    message: 'apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    columns: [date('Created At', '.metadata.creationTimestamp')],
  }),
  review(AUTHENTICATION, 'SelfSubjectReview'),
  review(AUTHENTICATION, 'TokenReview'),
  review(AUTHORIZATION, 'LocalSubjectAccessReview', 'Namespaced'),
  review(AUTHORIZATION, 'SelfSubjectAccessReview'),
  review(AUTHORIZATION, 'SelfSubjectRulesReview'),
  review(AUTHORIZATION, 'SubjectAccessReview'),
];

/** Clients send it in the version of the objects that they delete. */
const DELETE_OPTIONS = `${META}.DeleteOptions`;

/** The messages of all bodies that clients send in protobuf, by `<apiVersion>/<kind>`. */
const BODIES: ReadonlyMap<string, string> = new Map([
  ...CORE_KINDS.flatMap(({ views = [], ...one }) =>
    [one, ...views].map((body) => [`${getApiVersion(body)}/${one.kind}`, body.message] as const),
  ),
  [`${AUTHENTICATION}/v1/TokenRequest`, 'api.authentication.v1.TokenRequest'],
  ['autoscaling/v1/Scale', 'api.autoscaling.v1.Scale'],
]);

/** The messages whose fields the data of Kubernetes has, and with them those of their fields. */
export const BODY_MESSAGES: readonly string[] = [...BODIES.values(), DELETE_OPTIONS];

/** The message of a body; undefined for a kind that is not read in protobuf. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  return kind === 'DeleteOptions' ? DELETE_OPTIONS : BODIES.get(`${apiVersion}/${kind}`);
}
