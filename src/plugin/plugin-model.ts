import { AbstractExtension } from '../model/declare/extension.js';
import { GVK } from '../model/declare/gvk.js';
import { inGerman, modelHint } from '../model/schema/hints.js';
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

/** A registered model. */
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

/** An installed plugin as an object: its manifest and its status. */
@GVK({ ...PLUGINS, singular: 'plugin' })
export class Plugin extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Version', jsonPath: '.spec.version', type: 'string' },
    { name: 'Message', jsonPath: '.status.message', type: 'string' },
  ];

  static readonly schema = {
    type: 'object',
    ...modelHint('plug', 'Plugins', 'Plugin'),
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          displayName: { ...text, ...inGerman('Anzeigename') },
          description: { ...text, ...inGerman('Beschreibung') },
          version: {
            ...text,
            ...inGerman('Version', 'Semantische Version des Plugins'),
            description: 'Semantic version of the plugin',
          },
          requires: {
            ...text,
            ...inGerman('Benötigt', 'Bereich der Versionen von xsvc'),
            description: 'Supported range of xsvc versions',
          },
          main: {
            ...text,
            ...inGerman('Hauptmodul', 'Hauptmodul, relativ zu seinem Verzeichnis'),
            description: 'Main module, relative to its directory',
          },
          enabled: {
            type: 'boolean',
            default: true,
            ...inGerman('Aktiv', 'Soll das Plugin laufen? Startet und hält es an'),
            description: 'True when the plugin should run; set it to start or stop the plugin',
          },
          pluginDependencies: {
            type: 'object',
            additionalProperties: text,
            ...inGerman('Abhängigkeiten', 'Plugins, die zuerst starten: Name und Versionen'),
            description: 'Plugins that start first: name to version range',
          },
          permissions: {
            type: 'array',
            ...inGerman('Rechte', 'Erlaubte Aktionen auf Objekten; ohne Angabe: alle'),
            description: 'Permitted actions on objects; absent: everything is permitted',
            items: {
              type: 'object',
              required: ['apiGroups', 'resources', 'verbs'],
              properties: { apiGroups: texts, resources: texts, verbs: texts },
            },
          },
          console: {
            type: 'object',
            ...inGerman('Konsole', 'Seiten in der Konsole'),
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
          phase: { type: 'string', enum: [...PLUGIN_PHASES], ...inGerman('Phase') },
          message: {
            ...text,
            ...inGerman('Meldung', 'Warum es wartet oder gescheitert ist'),
            description: 'The reason why it waits or failed',
          },
          lastStartTime: { type: 'string', format: 'date-time', ...inGerman('Letzter Start') },
          models: {
            type: 'array',
            ...inGerman('Modelle', 'Angemeldete Modelle'),
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
          endpoints: {
            ...texts,
            ...inGerman('Endpunkte', 'Pfade seiner Endpunkte'),
            description: 'Paths of its custom endpoints',
          },
          directory: {
            ...text,
            ...inGerman('Verzeichnis', 'Verzeichnis seiner Dateien'),
            description: 'Directory of its files',
          },
        },
      },
    },
  };

  declare spec: PluginSpec;
  declare status?: PluginStatus;
}
