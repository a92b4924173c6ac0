import type { ModelClass } from '../model/declare/model-class.js';
import type { Column } from '../model/resource.js';
import { AbstractExtension } from '../model/declare/extension.js';
import { GVK } from '../model/declare/gvk.js';
import { IndexSpecs } from '../model/declare/index-spec.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import { PLATFORM } from '../model/declare/scheme.js';
import type { ExtensionObject } from '../model/object.js';
import { HINTS, inGerman, modelHint } from '../model/schema/hints.js';
import { RULES } from '../model/rules/declaration.js';
import type { Models } from '../service/models.js';
import type { ResourceRef } from '../service/verbs.js';
import type { AccessRule } from './rules.js';
import { TOKEN_ID } from './token.js';
import { SUBJECT_NAME } from './identity/subject-name.js';

export const ACCESS_GROUP = 'access.platform.run';
const VERSION = 'v1alpha1';

function accessModel(kind: string, plural: string): ResourceRef {
  return { group: ACCESS_GROUP, version: VERSION, kind, plural };
}

export const USERS = accessModel('User', 'users');
export const ROLES = accessModel('Role', 'roles');
export const ROLE_BINDINGS = accessModel('RoleBinding', 'rolebindings');
export const TOKENS = accessModel('Token', 'tokens');
export const SESSIONS = accessModel('Session', 'sessions');

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };

export interface UserSpec {
  readonly displayName?: string;
  readonly disabled?: boolean;
  readonly groups?: readonly string[];
}

/** True for a user whose tokens are refused. The model's schema has checked the type. */
export function isDisabled(user: ExtensionObject | undefined): boolean {
  return (user?.spec as UserSpec | undefined)?.disabled === true;
}

/** A person or a program that may send requests. Rights come only from bindings to the user and to its groups. */
@GVK({ group: ACCESS_GROUP, version: VERSION, kind: 'User', plural: 'users', singular: 'user' })
export class User extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Display name', jsonPath: '.spec.displayName', type: 'string' },
    { name: 'Disabled', jsonPath: '.spec.disabled', type: 'boolean' },
    { name: 'Groups', jsonPath: '.spec.groups[*]', type: 'string' },
  ];

  static readonly schema = {
    type: 'object',
    ...modelHint('users', 'Benutzer', 'Benutzer'),
    properties: {
      spec: {
        type: 'object',
        properties: {
          displayName: {
            ...text,
            ...inGerman('Anzeigename', 'Name für Menschen'),
            description: 'Display name',
          },
          disabled: {
            type: 'boolean',
            ...inGerman('Gesperrt', 'Gesperrt: alle Token des Benutzers werden abgelehnt'),
            description: 'True when all tokens of the user are refused',
          },
          groups: {
            type: 'array',
            uniqueItems: true,
            // These names are reserved for groups of the service.
            items: { ...SUBJECT_NAME, not: { pattern: '^system:' } },
            ...inGerman('Gruppen', 'Gruppen des Benutzers; Rollenbindungen geben ihren Mitgliedern Rollen'),
            description: 'Groups of the user; bindings give roles to their members',
          },
        },
      },
    },
  };

  declare spec?: UserSpec;
}

/** A set of rights: everything that any of its rules allows. */
@GVK({ group: ACCESS_GROUP, version: VERSION, kind: 'Role', plural: 'roles', singular: 'role' })
export class Role extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    ...modelHint('key', 'Rollen', 'Rolle'),
    required: ['rules'],
    properties: {
      rules: {
        type: 'array',
        ...inGerman('Regeln', 'Eine Anfrage ist erlaubt, wenn mindestens eine Regel sie erlaubt'),
        description: 'A request is allowed when at least one rule allows it',
        items: {
          type: 'object',
          required: ['verbs'],
          properties: {
            apiGroups: {
              ...texts,
              items: { type: 'string' },
              ...inGerman('API-Gruppen', 'Gruppen; "" ist die alte, * bedeutet alle'),
              description: 'Groups; "" is the legacy one, * means all',
            },
            resources: {
              ...texts,
              ...inGerman('Ressourcen', 'Plurale und Unterressourcen wie persons/status; * bedeutet alle'),
              description: 'Plurals, and sub-resources like persons/status; * means all',
            },
            resourceNames: {
              ...texts,
              ...inGerman('Namen', 'Namen von Objekten; ohne Angabe: alle'),
              description: 'Names of objects; absent: all',
            },
            nonResourceURLs: {
              ...texts,
              ...inGerman('Pfade', 'Pfade ohne Ressource; ein Pfad darf mit * enden'),
              description: 'Paths that are not resources; a path may end with *',
            },
            verbs: {
              ...texts,
              minItems: 1,
              ...inGerman(
                'Verben',
                'get, list, watch, create, update, patch, delete, escalate; für Pfade die HTTP-Methode; * bedeutet alle',
              ),
              description:
                'get, list, watch, create, update, patch, delete, escalate; for paths the HTTP method; * means all',
            },
            filter: {
              ...text,
              ...inGerman(
                'Filter',
                'Nur Objekte, auf die dieser CEL-Ausdruck über indizierte Felder, user und groups passt: spec.owner == user',
              ),
              description:
                'Only objects that meet this CEL expression over indexed fields, user and groups: spec.owner == user',
            },
            fields: {
              type: 'object',
              ...inGerman(
                'Felder',
                'Pfade mit Punkten, wie spec.title; was ein Objekt bezeichnet, gehört immer dazu',
              ),
              description: 'Dotted paths, like spec.title; what identifies an object is always included',
              properties: {
                read: {
                  ...texts,
                  ...inGerman('Lesen', 'Felder, die gelesen werden dürfen; ohne Angabe: alle'),
                  description: 'Fields that may be read; absent: all',
                },
                write: {
                  ...texts,
                  ...inGerman('Schreiben', 'Felder, die geschrieben werden dürfen; ohne Angabe: alle'),
                  description: 'Fields that may be written; absent: all',
                },
              },
            },
          },
        },
      },
    },
  };

  declare rules: AccessRule[];
}

/** Gives a role to users, and to the members of groups. */
@GVK({
  group: ACCESS_GROUP,
  version: VERSION,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
})
export class RoleBinding extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Role', jsonPath: '.roleRef.name', type: 'string' },
    { name: 'Subjects', jsonPath: '.subjects[*].name', type: 'string' },
  ];

  static readonly schema = {
    type: 'object',
    ...modelHint('link', 'Rollenbindungen', 'Rollenbindung'),
    required: ['roleRef', 'subjects'],
    properties: {
      roleRef: {
        ...inGerman('Rolle'),
        type: 'object',
        required: ['kind', 'name'],
        properties: {
          apiGroup: { type: 'string', enum: [ACCESS_GROUP], [HINTS]: { hidden: true } },
          kind: { type: 'string', enum: ['Role'], ...inGerman('Art') },
          name: { ...text, ...inGerman('Rolle', 'Name der Rolle'), description: 'Name of the role' },
        },
      },
      subjects: {
        ...inGerman('Empfänger'),
        type: 'array',
        items: {
          type: 'object',
          required: ['kind', 'name'],
          properties: {
            apiGroup: { type: 'string', enum: [ACCESS_GROUP], [HINTS]: { hidden: true } },
            kind: { type: 'string', enum: ['User', 'Group'], ...inGerman('Art') },
            name: {
              ...SUBJECT_NAME,
              ...inGerman('Benutzer oder Gruppe', 'Name des Benutzers oder der Gruppe'),
              description: 'Name of the user or of the group',
            },
          },
        },
      },
    },
  };

  declare roleRef: { readonly apiGroup?: string; readonly kind: 'Role'; readonly name: string };
  declare subjects: readonly {
    readonly apiGroup?: string;
    readonly kind: 'User' | 'Group';
    readonly name: string;
  }[];
}

export interface TokenSpec {
  readonly user: string;
  readonly userUID: string;
  readonly sha256: string;
  readonly expirationTimestamp?: string;
}

/** An issued token. The token itself is not stored and cannot be derived from this object. Deleting it revokes the token. */
@GVK({ group: ACCESS_GROUP, version: VERSION, kind: 'Token', plural: 'tokens', singular: 'token' })
export class Token extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'User', jsonPath: '.spec.user', type: 'string' },
    { name: 'Expires', jsonPath: '.spec.expirationTimestamp', type: 'string' },
  ];

  static readonly schema = {
    type: 'object',
    ...modelHint('key', 'Token', 'Token'),
    required: ['spec'],
    [RULES]: [
      {
        rule: `self.metadata.name.matches('^${TOKEN_ID}$')`,
        fieldPath: '.metadata.name',
        message:
          'must be the id of the token, which xsvc_ID_SECRET contains: 20 lowercase letters and digits; make tokens with "xsvc token create"',
      },
    ],
    properties: {
      spec: {
        type: 'object',
        required: ['user', 'userUID', 'sha256'],
        properties: {
          user: {
            ...SUBJECT_NAME,
            ...inGerman('Benutzer', 'Name des Benutzers, den das Token ausweist'),
            description: 'Name of the user that it authenticates',
          },
          userUID: {
            ...text,
            ...inGerman('UID des Benutzers'),
            description:
              'metadata.uid of that user; a user created again under the same name has another one. A user who creates a token for itself may leave it out',
          },
          sha256: {
            type: 'string',
            pattern: '^[0-9a-f]{64}$',
            ...inGerman('SHA-256', 'Prüfsumme des Tokens, hexadezimal'),
            description: 'Digest of the token, in hexadecimal',
          },
          expirationTimestamp: {
            type: 'string',
            format: 'date-time',
            ...inGerman('Ablauf', 'Ab dieser Zeit wird es abgelehnt; ohne Angabe: nie'),
            description: 'Time from which it is refused; absent: never',
          },
        },
      },
    },
  };

  declare spec: TokenSpec;
}

export interface SessionSpec {
  readonly user: string;
  readonly userUID: string;
  readonly sha256: string;
  readonly groups?: readonly string[];
  readonly expirationTimestamp: string;
}

/** A sign-in with a browser. Its cookie is not stored and cannot be derived from this object. Deleting it ends the session. */
@GVK({ group: ACCESS_GROUP, version: VERSION, kind: 'Session', plural: 'sessions', singular: 'session' })
export class BrowserSession extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'User', jsonPath: '.spec.user', type: 'string' },
    { name: 'Expires', jsonPath: '.spec.expirationTimestamp', type: 'string' },
  ];

  static readonly schema = {
    type: 'object',
    ...modelHint('globe', 'Sitzungen', 'Sitzung'),
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['user', 'userUID', 'sha256', 'expirationTimestamp'],
        properties: {
          user: {
            ...SUBJECT_NAME,
            ...inGerman('Benutzer', 'Name des angemeldeten Benutzers'),
            description: 'Name of the user who has signed in',
          },
          userUID: {
            ...text,
            ...inGerman('UID des Benutzers', 'UID dieses Benutzers'),
            description: 'uid of that user',
          },
          sha256: {
            type: 'string',
            pattern: '^[0-9a-f]{64}$',
            ...inGerman('SHA-256', 'Prüfsumme des Geheimnisses im Cookie, hexadezimal'),
            description: 'Digest of the secret in the cookie, in hexadecimal',
          },
          groups: {
            type: 'array',
            items: SUBJECT_NAME,
            ...inGerman('Gruppen', 'Gruppen, die der Aussteller bestätigt hat'),
            description: 'Groups that the issuer has confirmed',
          },
          expirationTimestamp: {
            type: 'string',
            format: 'date-time',
            ...inGerman('Ablauf', 'Ende der Sitzung'),
            description: 'End of the session',
          },
        },
      },
    },
  };

  declare spec: SessionSpec;
}

const MODELS: readonly { readonly model: ModelClass; readonly declareIndexes?: DeclareIndexes }[] = [
  { model: User },
  { model: Role },
  { model: RoleBinding },
  {
    model: Token,
    declareIndexes: (specs) => {
      specs.add(IndexSpecs.single<Token, string>('spec.user', 'string').indexFunc(({ spec }) => spec.user));
    },
  },
  {
    model: BrowserSession,
    declareIndexes: (specs) => {
      specs.add(
        IndexSpecs.single<BrowserSession, string>('spec.user', 'string').indexFunc(({ spec }) => spec.user),
      );
    },
  },
];

/** Registers and serves the models of this folder. */
export async function openAccessModels(
  models: Pick<Models, 'open'>,
  registry: SchemeRegistry,
): Promise<void> {
  await Promise.all(
    MODELS.map(({ model, declareIndexes }) =>
      models.open(registry.register(model, PLATFORM, declareIndexes, { allowReservedGroup: true })),
    ),
  );
}
