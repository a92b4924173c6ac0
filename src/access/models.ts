import type { ModelClass } from '../model/declare/model-class.js';
import type { Column } from '../model/resource.js';
import { AbstractExtension } from '../model/declare/extension.js';
import { GVK } from '../model/declare/gvk.js';
import { IndexSpecs } from '../model/declare/index-spec.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import { PLATFORM } from '../model/declare/scheme.js';
import type { ExtensionObject } from '../model/object.js';
import { withGerman, type FieldTexts } from '../model/schema/german.js';
import { HINTS, modelHint } from '../model/schema/hints.js';
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
const time = { type: 'string', format: 'date-time' };
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** Titles and descriptions in German, of the fields of the models. */
const GERMAN = {
  User: {
    'spec.displayName': ['Anzeigename', 'Name für Menschen'],
    'spec.disabled': ['Gesperrt', 'Gesperrt: alle Token des Benutzers werden abgelehnt'],
    'spec.groups': ['Gruppen', 'Gruppen des Benutzers; Rollenbindungen geben ihren Mitgliedern Rollen'],
  },
  Role: {
    rules: ['Regeln', 'Eine Anfrage ist erlaubt, wenn mindestens eine Regel sie erlaubt'],
    'rules[].apiGroups': ['API-Gruppen', 'Gruppen; "" ist die alte, * bedeutet alle'],
    'rules[].resources': ['Ressourcen', 'Plurale und Unterressourcen wie persons/status; * bedeutet alle'],
    'rules[].resourceNames': ['Namen', 'Namen von Objekten; ohne Angabe: alle'],
    'rules[].nonResourceURLs': ['Pfade', 'Pfade ohne Ressource; ein Pfad darf mit * enden'],
    'rules[].verbs': [
      'Verben',
      'get, list, watch, create, update, patch, delete, escalate; für Pfade die HTTP-Methode; * bedeutet alle',
    ],
    'rules[].filter': [
      'Filter',
      'Nur Objekte, auf die dieser CEL-Ausdruck über indizierte Felder, user und groups passt: spec.owner == user',
    ],
    'rules[].fields': [
      'Felder',
      'Pfade mit Punkten, wie spec.title; was ein Objekt bezeichnet, gehört immer dazu',
    ],
    'rules[].fields.read': ['Lesen', 'Felder, die gelesen werden dürfen; ohne Angabe: alle'],
    'rules[].fields.write': ['Schreiben', 'Felder, die geschrieben werden dürfen; ohne Angabe: alle'],
  },
  RoleBinding: {
    'roleRef.kind': ['Art'],
    'roleRef.name': ['Rolle', 'Name der Rolle'],
    'subjects[].kind': ['Art'],
    'subjects[].name': ['Benutzer oder Gruppe', 'Name des Benutzers oder der Gruppe'],
  },
  Token: {
    'spec.user': ['Benutzer', 'Name des Benutzers, den das Token ausweist'],
    'spec.userUID': ['UID des Benutzers'],
    'spec.sha256': ['SHA-256', 'Prüfsumme des Tokens, hexadezimal'],
    'spec.expirationTimestamp': ['Ablauf', 'Ab dieser Zeit wird es abgelehnt; ohne Angabe: nie'],
  },
  BrowserSession: {
    'spec.user': ['Benutzer', 'Name des angemeldeten Benutzers'],
    'spec.userUID': ['UID des Benutzers', 'UID dieses Benutzers'],
    'spec.sha256': ['SHA-256', 'Prüfsumme des Geheimnisses im Cookie, hexadezimal'],
    'spec.groups': ['Gruppen', 'Gruppen, die der Aussteller bestätigt hat'],
    'spec.expirationTimestamp': ['Ablauf', 'Ende der Sitzung'],
  },
} satisfies Readonly<Record<string, FieldTexts>>;

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
@GVK({ ...USERS, singular: 'user' })
export class User extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Display name', jsonPath: '.spec.displayName', type: 'string' },
    { name: 'Disabled', jsonPath: '.spec.disabled', type: 'boolean' },
    { name: 'Groups', jsonPath: '.spec.groups[*]', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN.User, {
    type: 'object',
    ...modelHint('users', 'Benutzer', 'Benutzer'),
    properties: {
      spec: {
        type: 'object',
        properties: {
          displayName: { ...text, description: 'Display name' },
          disabled: { type: 'boolean', description: 'True when all tokens of the user are refused' },
          groups: {
            type: 'array',
            uniqueItems: true,
            // These names are reserved for groups of the service.
            items: { ...SUBJECT_NAME, not: { pattern: '^system:' } },
            description: 'Groups of the user; bindings give roles to their members',
          },
        },
      },
    },
  });

  declare spec?: UserSpec;
}

/** A set of rights: everything that any of its rules allows. */
@GVK({ ...ROLES, singular: 'role' })
export class Role extends AbstractExtension {
  static readonly schema = withGerman(GERMAN.Role, {
    type: 'object',
    ...modelHint('key', 'Rollen', 'Rolle'),
    required: ['rules'],
    properties: {
      rules: {
        type: 'array',
        description: 'A request is allowed when at least one rule allows it',
        items: {
          type: 'object',
          required: ['verbs'],
          properties: {
            apiGroups: {
              type: 'array',
              items: { type: 'string' },
              description: 'Groups; "" is the legacy one, * means all',
            },
            resources: {
              ...texts,
              description: 'Plurals, and sub-resources like persons/status; * means all',
            },
            resourceNames: { ...texts, description: 'Names of objects; absent: all' },
            nonResourceURLs: { ...texts, description: 'Paths that are not resources; a path may end with *' },
            verbs: {
              ...texts,
              minItems: 1,
              description:
                'get, list, watch, create, update, patch, delete, escalate; for paths the HTTP method; * means all',
            },
            filter: {
              ...text,
              description:
                'Only objects that meet this CEL expression over indexed fields, user and groups: spec.owner == user',
            },
            fields: {
              type: 'object',
              description: 'Dotted paths, like spec.title; what identifies an object is always included',
              properties: {
                read: { ...texts, description: 'Fields that may be read; absent: all' },
                write: { ...texts, description: 'Fields that may be written; absent: all' },
              },
            },
          },
        },
      },
    },
  });

  declare rules: AccessRule[];
}

/** Gives a role to users, and to the members of groups. */
@GVK({ ...ROLE_BINDINGS, singular: 'rolebinding' })
export class RoleBinding extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'Role', jsonPath: '.roleRef.name', type: 'string' },
    { name: 'Subjects', jsonPath: '.subjects[*].name', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN.RoleBinding, {
    type: 'object',
    ...modelHint('link', 'Rollenbindungen', 'Rollenbindung'),
    required: ['roleRef', 'subjects'],
    properties: {
      roleRef: {
        [HINTS]: { titles: { de: 'Rolle' } },
        type: 'object',
        required: ['kind', 'name'],
        properties: {
          apiGroup: { type: 'string', enum: [ACCESS_GROUP], [HINTS]: { hidden: true } },
          kind: { type: 'string', enum: ['Role'] },
          name: { ...text, description: 'Name of the role' },
        },
      },
      subjects: {
        [HINTS]: { titles: { de: 'Empfänger' } },
        type: 'array',
        items: {
          type: 'object',
          required: ['kind', 'name'],
          properties: {
            apiGroup: { type: 'string', enum: [ACCESS_GROUP], [HINTS]: { hidden: true } },
            kind: { type: 'string', enum: ['User', 'Group'] },
            name: { ...SUBJECT_NAME, description: 'Name of the user or of the group' },
          },
        },
      },
    },
  });

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
@GVK({ ...TOKENS, singular: 'token' })
export class Token extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'User', jsonPath: '.spec.user', type: 'string' },
    { name: 'Expires', jsonPath: '.spec.expirationTimestamp', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN.Token, {
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
          user: { ...SUBJECT_NAME, description: 'Name of the user that it authenticates' },
          userUID: {
            ...text,
            description:
              'metadata.uid of that user; a user created again under the same name has another one. A user who creates a token for itself may leave it out',
          },
          sha256: { ...sha256, description: 'Digest of the token, in hexadecimal' },
          expirationTimestamp: { ...time, description: 'Time from which it is refused; absent: never' },
        },
      },
    },
  });

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
@GVK({ ...SESSIONS, singular: 'session' })
export class BrowserSession extends AbstractExtension {
  static readonly columns: readonly Column[] = [
    { name: 'User', jsonPath: '.spec.user', type: 'string' },
    { name: 'Expires', jsonPath: '.spec.expirationTimestamp', type: 'string' },
  ];

  static readonly schema = withGerman(GERMAN.BrowserSession, {
    type: 'object',
    ...modelHint('globe', 'Sitzungen', 'Sitzung'),
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['user', 'userUID', 'sha256', 'expirationTimestamp'],
        properties: {
          user: { ...SUBJECT_NAME, description: 'Name of the user who has signed in' },
          userUID: { ...text, description: 'uid of that user' },
          sha256: { ...sha256, description: 'Digest of the secret in the cookie, in hexadecimal' },
          groups: { type: 'array', items: SUBJECT_NAME, description: 'Groups that the issuer has confirmed' },
          expirationTimestamp: { ...time, description: 'End of the session' },
        },
      },
    },
  });

  declare spec: SessionSpec;
}

const indexUser: DeclareIndexes = (specs) =>
  void specs.add(
    IndexSpecs.single<Token | BrowserSession, string>('spec.user', 'string').indexFunc(
      ({ spec }) => spec.user,
    ),
  );

const MODELS: readonly { readonly model: ModelClass; readonly declareIndexes?: DeclareIndexes }[] = [
  { model: User },
  { model: Role },
  { model: RoleBinding },
  { model: Token, declareIndexes: indexUser },
  { model: BrowserSession, declareIndexes: indexUser },
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
