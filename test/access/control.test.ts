import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { accessStamp } from '../../src/access/grants.js';
import { ADMIN, issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../src/access/models.js';
import { sweepTokens } from '../../src/access/sweep.js';
import { newToken } from '../../src/access/token.js';
import type { ServiceError } from '../../src/errors.js';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import { openReplicated } from '../../src/engines/replicated/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import { MemoryLog, MemoryServer } from '../engines/memory-log.js';
import { declarePersonIndexes, Person, PERSON } from '../helpers/models.js';
import { person } from '../suites/verbs-helpers.js';
import { openTestModels, removeDirectories, temporaryDirectory } from '../helpers/store.js';

const HOUR_MS = 3_600_000;
const LIST = { verb: 'list', group: 'example.com', resource: 'things' };
const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['list'] }];

let directory: string;
let service: Service;
let control: AccessControl;
let now: Date;

async function openService(): Promise<Service> {
  return serviceOn(await openTestModels(directory));
}

async function serviceOn(lifecycle: ModelLifecycle): Promise<Service> {
  const models = new Models(lifecycle);
  const registry = new SchemeRegistry();
  await openAccessModels(models, registry);
  await models.open(registry.register(Person, 'test', declarePersonIndexes));
  return new Service({ store: lifecycle.store, models, now: () => now });
}

beforeEach(async () => {
  now = new Date('2026-01-01T00:00:00Z');
  directory = temporaryDirectory();
  service = await openService();
  control = new AccessControl(service, () => now.getTime());
});

afterEach(() => service.close());
afterAll(removeDirectories);

async function may(token: string): Promise<boolean> {
  const identity = await control.identify(`Bearer ${token}`);
  try {
    control.authorize(identity, LIST);
    return true;
  } catch (error) {
    expect((error as ServiceError).code).toBe('Forbidden');
    return false;
  }
}

async function refusal(authorization: string | undefined): Promise<string> {
  try {
    await control.identify(authorization);
  } catch (error) {
    expect((error as ServiceError).code).toBe('Unauthorized');
    return (error as ServiceError).message;
  }
  throw new Error('was let in');
}

const issue = async (user: string, role?: string, ttlMs?: number): Promise<string> =>
  (await issueToken(service, { user, ...(role && { role }), ...(ttlMs && { ttlMs }) }, now)).token;

const addRole = (name: string): Promise<unknown> => service.create(ROLES, { metadata: { name }, rules });

describe('somebody with a token', () => {
  it('is remembered while others write other things', async () => {
    const token = await issue('ada', await addRole('lister').then(() => 'lister'));
    const known = await control.identify(`Bearer ${token}`);
    await service.create(PERSON, person('one'));
    expect(control.identify(`Bearer ${token}`)).toBe(known);
    await service.patch(ROLES, 'lister', { rules: [] }, 'merge');
    await service.create(PERSON, person('two'));
    expect(await may(token)).toBe(false);
  });

  it('has the permissions of its roles, from the commit on that grants them', async () => {
    const token = await issue('ada');
    expect(await may(token)).toBe(false);
    await addRole('lister');
    expect(await may(token)).toBe(false);
    await issue('ada', 'lister');
    expect(await may(token)).toBe(true);
    await service.patch(ROLES, 'lister', { rules: [] }, 'merge');
    expect(await may(token)).toBe(false);
    await service.patch(ROLES, 'lister', { rules }, 'merge');
    expect(await may(token)).toBe(true);
    const [binding = ''] = await service.listNames(ROLE_BINDINGS);
    await service.delete(ROLE_BINDINGS, binding);
    expect(await may(token)).toBe(false);
  });

  it('is identified by the token', async () => {
    await addRole('lister');
    const [ada, bert] = [await issue('ada', 'lister'), await issue('bert')];
    expect([await may(ada), await may(bert)]).toEqual([true, false]);
    expect(await control.identify(`bearer   ${ada} `)).toMatchObject({ user: 'ada' });
  });

  it('is refused from the moment on that the token is deleted', async () => {
    const { token, id } = await issueToken(service, { user: 'ada' }, now);
    await may(token);
    await service.delete(TOKENS, id);
    expect(await refusal(`Bearer ${token}`)).toBe('invalid or revoked token');
  });

  it('is refused as long as the user is disabled, and without the user', async () => {
    const token = await issue('ada');
    await service.patch(USERS, 'ada', { spec: { disabled: true } }, 'merge');
    expect(await refusal(`Bearer ${token}`)).toBe('user "ada" is disabled');
    await service.patch(USERS, 'ada', { spec: { disabled: false } }, 'merge');
    await may(token);
    await service.delete(USERS, 'ada');
    expect(await refusal(`Bearer ${token}`)).toMatch('user "ada"');
  });

  it('is not the user who is created again under the same name', async () => {
    const token = await issue('ada');
    await may(token);
    await service.delete(USERS, 'ada');
    const newer = await issue('ada');
    expect(await refusal(`Bearer ${token}`)).toBe('the token belongs to user "ada", who was deleted');
    await may(newer);
  });

  it('is refused when the token names another uid than the user has', async () => {
    const { token, id } = await issueToken(service, { user: 'ada' }, now);
    await may(token);
    await service.patch(TOKENS, id, { spec: { userUID: 'another' } }, 'merge');
    expect(await refusal(`Bearer ${token}`)).toMatch('who was deleted');
    const without = service.patch(TOKENS, id, { spec: { userUID: null } }, 'merge');
    await expect(without).rejects.toMatchObject({ code: 'Invalid' });
  });

  it('is refused from the expiry on, also when nothing else happens', async () => {
    const token = await issue('ada', undefined, HOUR_MS);
    now = new Date(now.getTime() + HOUR_MS - 1);
    await may(token);
    now = new Date(now.getTime() + 1);
    expect(await refusal(`Bearer ${token}`)).toBe('the token has expired');
  });

  it('is seen as another process says', async () => {
    const token = await issue('ada');
    await may(token);
    const other = await openService();
    await other.patch(USERS, 'ada', { spec: { disabled: true } }, 'merge');
    await other.close();
    expect(await refusal(`Bearer ${token}`)).toBe('user "ada" is disabled');
  });
});

describe('somebody without a token', () => {
  it.each([
    ['', /must be "Bearer TOKEN"/],
    ['Basic YWRhOnNlY3JldA==', /must be "Bearer TOKEN"/],
    ['Bearer', /must be "Bearer TOKEN"/],
    ['Bearer a b', /must be "Bearer TOKEN"/],
    ['Bearer secret', 'invalid or revoked token'],
    [`Bearer ${newToken().token}`, 'invalid or revoked token'],
  ])('is refused (%s)', async (header, message) => {
    expect(await refusal(header)).toMatch(message);
  });

  it('is refused with the id of a token and another secret', async () => {
    const token = await issue('ada');
    await may(token);
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(await refusal(`Bearer ${forged}`)).toBe('invalid or revoked token');
  });
});

describe('somebody without credentials', () => {
  const anonymous = async (): Promise<string> => {
    try {
      control.authorize(await control.identify(undefined), LIST);
      return 'may';
    } catch (error) {
      return (error as ServiceError).code;
    }
  };

  it('may do nothing, and is asked for a token', async () => {
    expect(await anonymous()).toBe('Unauthorized');
    const identity = await control.identify(undefined);
    expect(() => control.authorize(identity, undefined)).toThrow(/no credentials/);
  });

  it('has the permissions that a binding grants to anonymous users', async () => {
    await addRole('lister');
    const binding = {
      metadata: { name: 'public' },
      roleRef: { kind: 'Role', name: 'lister' },
      subjects: [{ kind: 'User', name: 'system:anonymous' }],
    };
    await service.create(ROLE_BINDINGS, binding);
    expect(await anonymous()).toBe('may');
    expect(await may(await issue('ada'))).toBe(false);
    await service.delete(ROLE_BINDINGS, 'public');
    expect(await anonymous()).toBe('Unauthorized');
  });
});

describe('a clock that jumps', () => {
  it('ahead deletes no token, and back makes none valid again', async () => {
    const { token } = await issueToken(service, { user: 'ada', ttlMs: HOUR_MS }, new Date());
    const ofMachine = new AccessControl(service);
    const machine = Date.now;
    const valid = async (): Promise<boolean> => {
      try {
        await ofMachine.identify(`Bearer ${token}`);
        return true;
      } catch {
        return false;
      }
    };
    try {
      Date.now = () => machine() + 2 * HOUR_MS;
      await sweepTokens(service);
      expect(await valid()).toBe(false);
    } finally {
      Date.now = machine;
    }
    expect(await valid()).toBe(true);
  });
});

describe('sweeping', () => {
  it('deletes tokens that have expired, and those of users who are gone', async () => {
    const kept = await issueToken(service, { user: 'ada' }, now);
    const long = await issueToken(service, { user: 'ada', ttlMs: HOUR_MS + 1 }, now);
    await issueToken(service, { user: 'ada', ttlMs: HOUR_MS }, now);
    const { token } = await issueToken(service, { user: 'bert' }, now);
    await service.delete(USERS, 'bert');
    const newer = await issueToken(service, { user: 'bert' }, now);
    now = new Date(now.getTime() + HOUR_MS);
    await sweepTokens(service, now.getTime());
    expect(await service.listNames(TOKENS)).toEqual([kept.id, long.id, newer.id].sort());
    expect(await refusal(`Bearer ${token}`)).toBe('invalid or revoked token');
  });
});

describe('making a token', () => {
  it('makes the user and gives the role once', async () => {
    await addRole('lister');
    const first = await issueToken(service, { user: 'ada', role: 'lister' }, now);
    const second = await issueToken(service, { user: 'ada', role: 'lister' }, now);
    expect([first.isNewUser, first.isNewBinding]).toEqual([true, true]);
    expect([second.isNewUser, second.isNewBinding]).toEqual([false, false]);
    expect(await service.count(ROLE_BINDINGS)).toBe(1);
    expect(await service.listNames(TOKENS)).toEqual([first.id, second.id].sort());
    expect([await may(first.token), await may(second.token)]).toEqual([true, true]);
  });

  it('keeps the token nowhere', async () => {
    const token = await issue('ada');
    const stored = JSON.stringify((await service.list(TOKENS)).items);
    expect(stored).not.toContain(token.slice(-43));
    expect(stored).toContain('"sha256"');
  });

  it('makes nothing for a role that is not there, or a user of a bad name', async () => {
    await addRole('lister');
    await expect(issue('ada', 'missing')).rejects.toThrow('there is no role "missing"; known roles: lister');
    await expect(issue('Ada Lovelace')).rejects.toMatchObject({ code: 'Invalid' });
    expect([await service.count(USERS), await service.count(TOKENS)]).toEqual([0, 0]);
  });
});

describe('the first user', () => {
  it('may do everything, and is made only while there is nobody', async () => {
    const token = await makeFirstUser(service);
    expect(await may(token ?? '')).toBe(true);
    expect(control.identify(`Bearer ${token}`)).toMatchObject({ user: ADMIN });
    expect(await makeFirstUser(service)).toBeUndefined();
    await service.delete(USERS, ADMIN);
    await issue('ada');
    expect(await makeFirstUser(service)).toBeUndefined();
  });

  it('is made once by two processes at a time', async () => {
    const other = await openService();
    const made = await Promise.all([makeFirstUser(service), makeFirstUser(other)]);
    await other.close();
    expect(made.filter((token) => token !== undefined)).toHaveLength(1);
    expect(await service.count(USERS)).toBe(1);
  });
});

describe('a shared store that is away', () => {
  it('refuses to identify a user, and leaves no unhandled rejection', async () => {
    const server = new MemoryServer();
    const engine = await openReplicated(new MemoryLog(server), temporaryDirectory());
    const own = { now: () => Date.now(), owner: ownerName(), isAlive: isOwnerAlive };
    const shared = await serviceOn(await ModelLifecycle.open(engine, own));
    const strays: unknown[] = [];
    const stray = (error: unknown): void => void strays.push(error);
    process.on('unhandledRejection', stray);
    server.isAway = true;
    await expect(accessStamp(shared)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await nextTurn();
    process.off('unhandledRejection', stray);
    server.isAway = false;
    await shared.close();
    expect(strays).toEqual([]);
  });
});
