import { EVENT_PATHS } from '../events/names.js';
import { modelHint } from '../model/schema/hints.js';
import { count, CREATED_AT, date, labels, stored, text, total, type CoreKind } from './kind.js';

const CORE = 'api.core.v1';
const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

const ofObject = (field: string): string[] =>
  ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (member) => `${field}.${member}`,
  );
function review(group: string, kind: string, scope: CoreKind['scope'] = 'Cluster'): CoreKind {
  const message = `api.${group.replace('.k8s.io', '')}.v1.${kind}`;
  return stored({ group, kind, plural: `${kind.toLowerCase()}s`, scope, message, use: 'review' });
}

/** The reporter and its instance, as new events and old ones have them. */
const SOURCE = "['reportingComponent','reportingInstance','source.component','source.host']";

/** The kinds that are served unless all are switched off, by group and kind. */
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
    lacksStatus: true,
    hint: modelHint('settings', 'Konfigurationen', 'Konfiguration'),
    plural: 'configmaps',
    shortNames: ['cm'],
    scope: 'Namespaced',
    message: `${CORE}.ConfigMap`,
    columns: [total('Data', "['data','binaryData'][*]")],
  }),
  stored({
    kind: 'Secret',
    lacksStatus: true,
    hint: modelHint('key', 'Geheimnisse', 'Geheimnis'),
    plural: 'secrets',
    scope: 'Namespaced',
    message: `${CORE}.Secret`,
    columns: [text('Type', '.type'), total('Data', '.data[*]')],
    fieldLabels: labels('type'),
  }),
  stored({
    kind: 'ServiceAccount',
    lacksStatus: true,
    hint: modelHint('user', 'Dienstkonten', 'Dienstkonto'),
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    scope: 'Namespaced',
    message: `${CORE}.ServiceAccount`,
    columns: [total('Secrets', '.secrets[*]')],
  }),
  stored({
    kind: 'Event',
    lacksStatus: true,
    hint: modelHint('bell', 'Ereignisse', 'Ereignis'),
    plural: 'events',
    shortNames: ['ev'],
    scope: 'Namespaced',
    message: `${CORE}.Event`,
    columns: [
      date('Last Seen', EVENT_PATHS.lastSeen),
      text('Type', '.type'),
      text('Reason', '.reason'),
      { ...text('Object', "['involvedObject.kind','involvedObject.name']"), cell: 'lowerPath' },
      text('Subobject', '.involvedObject.fieldPath', 1),
      { ...text('Source', SOURCE, 1), cell: 'list' },
      text('Message', '.message'),
      date('First Seen', EVENT_PATHS.firstSeen, 1),
      count('Count', EVENT_PATHS.count, 1),
      text('Name', '.metadata.name', 1),
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
    lacksStatus: true,
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
    columns: CREATED_AT,
  }),
  review(AUTHENTICATION, 'SelfSubjectReview'),
  review(AUTHENTICATION, 'TokenReview'),
  review(AUTHORIZATION, 'LocalSubjectAccessReview', 'Namespaced'),
  review(AUTHORIZATION, 'SelfSubjectAccessReview'),
  review(AUTHORIZATION, 'SelfSubjectRulesReview'),
  review(AUTHORIZATION, 'SubjectAccessReview'),
];
