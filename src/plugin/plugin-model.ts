import { AbstractExtension } from '../model/declare/extension.js';
import { GVK } from '../model/declare/gvk.js';
import { withGerman, type FieldTexts } from '../model/schema/german.js';
import { modelHint } from '../model/schema/hints.js';
import type { Column } from '../model/resource.js';
import { PAGE_PLACEMENTS } from './manifest/console-pages.js';
import type { PluginSpec } from './manifest/manifest.js';

/**
 * The phase of a plugin. `PENDING`: waits for a dependency, or for its turn. `RESOLVED`: its models are registered, their indexes
 * are being brought up to date. `STARTED`: it serves. `DISABLED`: switched off.
 * `FAILED`: all its registrations were removed. `MISSING`: its directory is not there.
 */
export const PLUGIN_PHASES = ['PENDING', 'RESOLVED', 'STARTED', 'DISABLED', 'FAILED', 'MISSING'] as const;
export type PluginPhase = (typeof PLUGIN_PHASES)[number];

export interface ModelStatus {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The storage version. */
  readonly version: string;
  /** The served versions. */
  readonly versions: readonly string[];
  readonly objects: number;
  /** Checked objects that do not fit the model's schema. */
  readonly unfit: number;
  /** Names in its references that no object has; absent when it is zero. */
  readonly dangling?: number;
}

export interface PluginStatus {
  readonly phase: PluginPhase;
  /** The reason why it waits or failed. */
  readonly message?: string;
  /** When it last began to start, RFC 3339. */
  readonly lastStartTime?: string;
  readonly models: readonly ModelStatus[];
  /** Paths of its custom endpoints. */
  readonly endpoints: readonly string[];
  /** The directory of its files. */
  readonly directory?: string;
}

/** The model of plugins, without its class. */
export const PLUGINS = {
  group: 'plugin.platform.run',
  version: 'v1alpha1',
  kind: 'Plugin',
  plural: 'plugins',
} as const;

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const GERMAN: FieldTexts = {
  'spec.displayName': ['Anzeigename'],
  'spec.description': ['Beschreibung'],
  'spec.version': ['Version', 'Semantische Version des Plugins'],
  'spec.requires': ['Benötigt', 'Bereich der Versionen von xsvc'],
  'spec.main': ['Hauptmodul', 'Hauptmodul, relativ zu seinem Verzeichnis'],
  'spec.enabled': ['Aktiv', 'Soll das Plugin laufen? Startet und hält es an'],
  'spec.pluginDependencies': ['Abhängigkeiten', 'Plugins, die zuerst starten: Name und Versionen'],
  'spec.permissions': ['Rechte', 'Erlaubte Aktionen auf Objekten; ohne Angabe: alle'],
  'spec.console': ['Konsole', 'Seiten in der Konsole'],
  'status.phase': ['Phase'],
  'status.message': ['Meldung', 'Warum es wartet oder gescheitert ist'],
  'status.lastStartTime': ['Letzter Start'],
  'status.models': ['Modelle', 'Angemeldete Modelle'],
  'status.endpoints': ['Endpunkte', 'Pfade seiner Endpunkte'],
  'status.directory': ['Verzeichnis', 'Verzeichnis seiner Dateien'],
};

/** An installed plugin as an object: its manifest and its status. */
@GVK({ ...PLUGINS, singular: 'plugin' })
export class Plugin extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Version', jsonPath: '.spec.version', type: 'string' },
    { name: 'Message', jsonPath: '.status.message', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN, {
    type: 'object',
    ...modelHint('plug', 'Plugins', 'Plugin'),
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          displayName: { ...text },
          description: { ...text },
          version: { ...text, description: 'Semantic version of the plugin' },
          requires: { ...text, description: 'Supported range of xsvc versions' },
          main: { ...text, description: 'Main module, relative to its directory' },
          enabled: {
            type: 'boolean',
            default: true,
            description: 'True when the plugin should run; set it to start or stop the plugin',
          },
          pluginDependencies: {
            type: 'object',
            additionalProperties: text,
            description: 'Plugins that start first: name to version range',
          },
          permissions: {
            type: 'array',
            description: 'Permitted actions on objects; absent: everything is permitted',
            items: {
              type: 'object',
              required: ['apiGroups', 'resources', 'verbs'],
              properties: { apiGroups: texts, resources: texts, verbs: texts },
            },
          },
          console: {
            type: 'object',
            description: 'Pages in the console',
            required: ['pages'],
            properties: {
              pages: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['title', 'path', 'placement'],
                  properties: {
                    title: text,
                    icon: text,
                    path: { ...text, description: 'HTML file below public/' },
                    placement: { ...text, enum: [...PAGE_PLACEMENTS] },
                    model: { ...text, description: 'For tabs: the model, as <plural>.<group>' },
                  },
                },
              },
            },
          },
          author: { type: 'object', required: ['name'], properties: { name: text, website: text } },
          license: {
            type: 'array',
            items: { type: 'object', required: ['name'], properties: { name: text, url: text } },
          },
          logo: text,
          homepage: text,
          repo: text,
          issues: text,
        },
      },
      status: {
        type: 'object',
        properties: {
          phase: { type: 'string', enum: [...PLUGIN_PHASES] },
          message: { ...text, description: 'The reason why it waits or failed' },
          lastStartTime: { type: 'string', format: 'date-time' },
          models: {
            type: 'array',
            description: 'Registered models',
            items: {
              type: 'object',
              properties: {
                group: text,
                kind: text,
                plural: text,
                version: { ...text, description: 'The storage version' },
                versions: { ...texts, description: 'The served versions' },
                objects: { type: 'integer', description: 'Number of objects' },
                unfit: {
                  type: 'integer',
                  description: 'Number of objects that are invalid against the schema',
                },
                dangling: { type: 'integer', description: 'Number of dangling references' },
              },
            },
          },
          endpoints: { ...texts, description: 'Paths of its custom endpoints' },
          directory: { ...text, description: 'Directory of its files' },
        },
      },
    },
  });

  declare spec: PluginSpec;
  declare status?: PluginStatus;
}
