import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkListening,
  checkOidc,
  checkPluginOrigin,
  checkServing,
  ConfigError,
  environmentName,
  readConfig,
  type ConfigSources,
} from '../src/config.js';

function config(sources: Partial<ConfigSources> = {}) {
  return readConfig({ flags: {}, env: {}, cwd: '/work-dir', ...sources });
}

function file(text: string, name = '/etc/xsvc/xsvc.yaml') {
  return { file: { path: name, text } };
}

describe('readConfig', () => {
  it('reports all errors of flags, environment and file at once', () => {
    const sources = {
      flags: { port: 'abc', auth: 'tokn' },
      env: { XSVC_LEASE_DURATION: 'long' },
      ...file('prot: 1\nlogLevel: loud\nhots: a\noidcClientId: me\n'),
    };
    let error: unknown;
    try {
      config(sources);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const faults = error instanceof ConfigError ? [...error.faults].sort() : [];
    expect(faults).toEqual([
      expect.stringMatching(/^--auth must be/),
      expect.stringMatching(/^--port must be/),
      expect.stringMatching(/xsvc.yaml:1: unknown setting "prot", did you mean "port"\?$/),
      expect.stringMatching(/xsvc.yaml:2: logLevel must be/),
      expect.stringMatching(/xsvc.yaml:3: unknown setting "hots", did you mean "host"\?$/),
      expect.stringMatching(/xsvc.yaml:4: oidcClientId also needs --oidc-issuer$/),
      expect.stringMatching(/^XSVC_LEASE_DURATION "long" is not a duration/),
    ]);
    expect(String(error)).toMatch(/^ConfigError: 7 errors in the configuration:\n {2}/);
  });

  it('reports errors of flags beside a file that cannot be parsed', () => {
    const sources = { flags: { port: 'abc' }, ...file('a: [') };
    expect(() => config(sources)).toThrow(
      /2 errors in the configuration:(?=[^]*--port must be)(?=[^]*xsvc.yaml:1)/,
    );
  });

  it('has the documented defaults', () => {
    expect(config()).toEqual({
      host: '127.0.0.1',
      port: 8090,
      dataDir: '/work-dir/.xsvc',
      plugins: ['/work-dir/plugins'],
      pluginsGiven: false,
      workers: 1,
      maxBodyBytes: 1024 * 1024,
      bodiesBytes: 256 * 1024 * 1024,
      bodyTimeoutMs: 30_000,
      maxConnections: 10_000,
      corsOrigins: [],
      webhookAllow: [],
      serviceUrls: new Map(),
      pluginOrigin: undefined,
      maxObjectBytes: 2 * 1024 * 1024,
      migrate: 'auto',
      upgrade: 'auto',
      unfit: 'warn',
      takeover: false,
      shared: undefined,
      storeTimeoutMs: 30_000,
      durability: 'safe',
      diskReserveBytes: 256 * 1024 * 1024,
      mcp: 'read',
      maxReadEntries: 5_000_000,
      cacheBytes: 256 * 1024 * 1024,
      auth: 'none',
      console: 'on',
      consoleName: 'xsvc',
      kubernetes: 'on',
      leaseMs: 10_000,
      insecure: false,
      strict: false,
      watch: false,
      platformPlugins: [],
      pluginConfig: {},
      logRetentionCount: 100_000,
      logRetentionAgeMs: 86_400_000,
      logRetentionBytes: 1024 * 1024 * 1024,
      logLevel: 'info',
      accessLog: false,
      auditLog: undefined,
      auditReads: false,
      auditStrict: false,
      slowListMs: undefined,
    });
  });

  it('takes flags before environment before file before defaults', () => {
    const sources = { env: { XSVC_PORT: '2' }, ...file('port: 3') };
    expect(config({ ...sources, flags: { port: '1' } }).port).toBe(1);
    expect(config(sources).port).toBe(2);
    expect(config(file('port: 3')).port).toBe(3);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(config({ env: { XSVC_PORT: '', XSVC_DATA_DIR: '' } })).toMatchObject({ port: 8090 });
  });

  it('reads XSVC_PLUGINS with the path separator and knows that somebody asked', () => {
    const { plugins, pluginsGiven } = config({ env: { XSVC_PLUGINS: ['a', '/b'].join(path.delimiter) } });
    expect(plugins).toEqual(['/work-dir/a', '/b']);
    expect(pluginsGiven).toBe(true);
  });

  it('starts relative paths of the file from its directory', () => {
    const { dataDir, plugins } = config(file('dataDir: data\nplugins: [p]'));
    expect(dataDir).toBe('/etc/xsvc/data');
    expect(plugins).toEqual(['/etc/xsvc/p']);
  });

  it('takes on and off for the console, also as YAML reads the words', () => {
    for (const text of ['console: off', "console: 'off'", 'console: false'])
      expect([text, config(file(text)).console]).toEqual([text, 'off']);
    expect(config({ env: { XSVC_CONSOLE: 'off' } }).console).toBe('off');
    expect(() => config({ flags: { console: 'no' } })).toThrow('--console must be one of on, off, not "no"');
  });

  it('takes a name, an environment and a color for the console, and refuses what does not fit in its bar', () => {
    const read = config(
      file('consoleName: " Läden 🛒 "\nconsoleEnvironment: production\nconsoleColor: green'),
    );
    expect(read).toMatchObject({
      consoleName: 'Läden 🛒',
      consoleEnvironment: 'production',
      consoleColor: 'green',
    });
    expect(config({ flags: { consoleName: '🛒'.repeat(40) } }).consoleName).toHaveLength(80);
    for (const bad of ['🛒'.repeat(41), ' ', 'two\nlines', 'a\u202eb', 7, true, {}])
      expect(() => config({ flags: { consoleName: bad } })).toThrow('--console-name must be');
    expect(() => config({ env: { XSVC_CONSOLE_ENVIRONMENT: 'x'.repeat(21) } })).toThrow(
      'XSVC_CONSOLE_ENVIRONMENT must be one line of at most 20 characters',
    );
    for (const bad of ['#ff0000', 'Green', 'url(x)'])
      expect(() => config({ flags: { consoleColor: bad } })).toThrow(
        '--console-color must be one of blue, teal',
      );
  });

  it('reads sizes and durations with units', () => {
    const read = config(file('maxBody: 2MiB\nlogRetentionAge: 30m\nlogRetentionCount: 5'));
    expect(read).toMatchObject({
      maxBodyBytes: 2 * 1024 * 1024,
      logRetentionAgeMs: 1_800_000,
      logRetentionCount: 5,
    });
  });

  it('takes the data directory from --store lmdb:DIR', () => {
    expect(config({ flags: { store: 'lmdb:data' } })).toMatchObject({
      dataDir: '/work-dir/data',
      shared: undefined,
    });
  });

  it('keeps the settings of plugins', () => {
    expect(config(file('pluginConfig:\n  greeter:\n    word: hi')).pluginConfig).toEqual({
      greeter: { word: 'hi' },
    });
  });

  it.each([
    [
      'an unknown key',
      'host: localhost\nprot: 1',
      '/etc/xsvc/xsvc.yaml:2: unknown setting "prot", did you mean "port"?',
    ],
    ['a wrong type', '\nstrict: 3', '/etc/xsvc/xsvc.yaml:2: strict must be true or false, not 3'],
    [
      'a port out of range',
      'port: 65536',
      '/etc/xsvc/xsvc.yaml:1: port must be an integer from 0 to 65535, not 65536',
    ],
    [
      'a bad duration',
      'logRetentionAge: soon',
      '/etc/xsvc/xsvc.yaml:1: logRetentionAge "soon" is not a duration',
    ],
    ['no mapping', '- 1', '/etc/xsvc/xsvc.yaml: must be a mapping of settings'],
  ])('refuses %s in the file with its line', (_, text, message) => {
    expect(() => config(file(text))).toThrow(ConfigError);
    expect(() => config(file(text))).toThrow(message);
  });

  it('names the flag or the variable that is wrong', () => {
    expect(() => config({ flags: { maxBody: 'big' } })).toThrow('--max-body "big" is not a size');
    expect(() => config({ env: { XSVC_LOG_LEVEL: 'loud' } })).toThrow(
      'XSVC_LOG_LEVEL must be one of debug, info',
    );
  });

  it('reads how long a body may take, and how many connections there may be', () => {
    const read = config({ flags: { bodyTimeout: '5s' }, env: { XSVC_MAX_CONNECTIONS: '20' } });
    expect(read).toMatchObject({ bodyTimeoutMs: 5_000, maxConnections: 20 });
    for (const bodyTimeout of ['0', '25d'])
      expect(() => config({ flags: { bodyTimeout } })).toThrow('--body-timeout must be longer than 0');
    expect(config({ file: file('maxReadEntries: 10').file }).maxReadEntries).toBe(10);
    expect(() => config({ env: { XSVC_MAX_READ_ENTRIES: '0' } })).toThrow('must be an integer from 1');
    expect(() => config({ flags: { maxConnections: '0' } })).toThrow('--max-connections must be an integer');
    expect(config({ flags: { workers: 'auto', leaseDuration: '3s' } })).toMatchObject({
      workers: 'auto',
      leaseMs: 3_000,
    });
    expect(config({ env: { XSVC_WORKERS: '4' } }).workers).toBe(4);
    for (const workers of ['0', '-1', '129', 'many', ' '])
      expect(() => config({ flags: { workers } })).toThrow(
        '--workers must be an integer from 1 to 128, or auto, not',
      );
  });

  it('reads origins as browsers write them', () => {
    const read = config({
      flags: { corsOrigin: ['HTTPS://App.Example:443', 'http://localhost:3000/', '*'] },
    });
    expect(read.corsOrigins).toEqual(['https://app.example', 'http://localhost:3000', '*']);
    expect(config({ env: { XSVC_CORS_ORIGIN: 'http://a,http://b' } }).corsOrigins).toHaveLength(2);
    for (const origin of [
      'app.example',
      'https://app.example/path',
      'file:///x',
      'https://*.example',
      'null',
    ])
      expect(() => config({ flags: { corsOrigin: [origin] } })).toThrow('--cors-origin must be origins');
  });

  it('takes the address of a shared store, and keeps the data directory for its replica', () => {
    const store =
      'postgres://ann@db-1,db-2:5433,[::1]:5434,%2Frun%2Fpg/things?schema=shop&sslmode=verify-full&retain=1h';
    expect(config({ flags: { store, dataDir: 'data' } })).toMatchObject({
      dataDir: '/work-dir/data',
      shared: {
        engine: 'postgres',
        address: {
          user: 'ann',
          hosts: [
            { host: 'db-1', port: 5432 },
            { host: 'db-2', port: 5433 },
            { host: '::1', port: 5434 },
            { host: '/run/pg', port: 5432 },
          ],
          database: 'things',
          schema: 'shop',
          sslMode: 'verify-full',
          retainMs: 3_600_000,
        },
      },
    });
  });

  it.each(['localhost', '127.0.0.1:5433', '[::1]', '%2Frun%2Fpg', 'localhost,%2Frun%2Fpg'])(
    'takes the server %s of this machine without TLS',
    (host) => {
      const store = `postgres://ann@${host}/things`;
      expect(config({ flags: { store } })).toMatchObject({ shared: { address: { sslMode: 'disable' } } });
    },
  );

  it('takes another server without TLS where that is said', () => {
    const store = 'postgres://ann@db/things?sslmode=disable';
    expect(config({ flags: { store } })).toMatchObject({ shared: { address: { sslMode: 'disable' } } });
  });

  it('takes the address of a store in etcd', () => {
    const store =
      'etcd://node-1,node-2:2479,[::1]:2579/team/things?cacert=ca.pem&cert=c.pem&key=k.pem&user=ann&retain=1h';
    expect(config({ flags: { store } })).toMatchObject({
      shared: {
        engine: 'etcd',
        address: {
          members: [
            { host: 'node-1', port: 2379 },
            { host: 'node-2', port: 2479 },
            { host: '::1', port: 2579 },
          ],
          prefix: 'team/things',
          caFile: 'ca.pem',
          client: { certFile: 'c.pem', keyFile: 'k.pem' },
          user: 'ann',
          retainMs: 3_600_000,
          compacts: true,
        },
      },
    });
  });

  it.each([
    ['floppy', 'lmdb:DIR, postgres://'],
    ['etcd://node', 'etcd://HOST[:PORT]'],
    ['etcd://node/', 'etcd://HOST[:PORT]'],
    ['etcd:///things', 'etcd://HOST[:PORT]'],
    ['etcd://ann:secret@node/things', 'must not contain a password'],
    ['etcd://node/things?user=ann&password=secret', 'must not contain a password'],
    ['etcd://node:99999/things', 'port'],
    ['etcd://node/things?cert=a.pem', 'needs both cert and key'],
    ['etcd://node/things?retain=1s', 'retain'],
    ['etcd://node/things?retain=soon', 'not a duration'],
    ['etcd://node/things?compact=never', 'compact'],
    ['etcd://node/things?ca=a.pem', 'known options: cacert'],
    ['etcd://node/my%20things', 'prefix'],
    ['postgres://db', 'postgres://USER@HOST'],
    ['postgres://ann:secret@db/things', 'must not contain a password'],
    ['postgres://ann@db/things?sslmode=perhaps', 'sslmode'],
    ['postgres://ann@db/things', 'needs sslmode: verify-full'],
    ['postgres://ann@127.0.0.1,db-2/things', 'needs sslmode: verify-full'],
    ['postgres://ann@10.0.0.1/things?schema=shop', 'needs sslmode: verify-full'],
    [
      'postgres://ann@db/things?sslmode=',
      'invalid value for sslmode; use one of disable, require, verify-ca, verify-full',
    ],
    ['postgres://ann@localhost/things?retain=1s', 'retain'],
    ['postgres://ann@localhost/things?retain=soon', 'not a duration'],
    ['postgres://ann@db/things?scheme=x', 'known options: schema'],
    ['postgres://ann@db/things?schema=Shop', 'schema'],
    ['postgres://ann@db:0/things', 'port'],
  ])('refuses the store %s in words', (store, words) => {
    expect(() => config({ flags: { store } })).toThrow(words);
    expect(() => config({ flags: { store } })).toThrow(/^--store/);
    expect(() => config({ flags: { store } })).not.toThrow(/secret/);
  });

  it('refuses relaxed commits in a shared store', () => {
    const flags = { store: 'postgres://ann@db/things?sslmode=require', durability: 'relaxed' };
    expect(() => config({ flags })).toThrow('a shared store is always safe');
  });

  it('takes a certificate and its key together, from where each was named', () => {
    const named = { ...file('tlsKey: key.pem'), flags: { tlsCert: 'cert.pem' } };
    expect(config(named).tls).toEqual({
      certFile: '/work-dir/cert.pem',
      keyFile: '/etc/xsvc/key.pem',
    });
    expect(config({}).tls).toBeUndefined();
    expect(() => config({ flags: { tlsCert: 'cert.pem' } })).toThrow('--tls-cert also needs --tls-key');
    expect(() => config({ env: { XSVC_TLS_KEY: 'key.pem' } })).toThrow('XSVC_TLS_KEY also needs --tls-cert');
  });

  it('takes an issuer together with a client ID', () => {
    const flags = { oidcIssuer: 'https://login.example.com/realm', oidcClientId: 'xsvc' };
    const secret = file('oidcClientSecretFile: secret.txt\noidcUsernamePrefix: "-"');
    expect(config({ flags }).oidc).toEqual({
      issuer: 'https://login.example.com/realm',
      clientId: 'xsvc',
      clientSecretFile: undefined,
      usernameClaim: 'sub',
      groupsClaim: 'groups',
      usernamePrefix: 'oidc:',
      groupsPrefix: 'oidc:',
    });
    const env = { XSVC_OIDC_USERNAME_CLAIM: 'email', XSVC_OIDC_GROUPS_PREFIX: 'g-' };
    expect(config({ flags, env, ...secret }).oidc).toMatchObject({
      clientSecretFile: '/etc/xsvc/secret.txt',
      usernameClaim: 'email',
      usernamePrefix: '',
      groupsPrefix: 'g-',
    });
    expect(config({}).oidc).toBeUndefined();
    expect(() => config({ flags: { oidcClientId: 'a' } })).toThrow(
      '--oidc-client-id also needs --oidc-issuer',
    );
    expect(() => config({ env: { XSVC_OIDC_ISSUER: 'https://a.example' } })).toThrow(
      'XSVC_OIDC_ISSUER also needs --oidc-client-id',
    );
  });

  it.each([
    'http://login.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'ftp://127.0.0.1',
    'login.example.com',
    'https://login.example.com?a=b',
    'https://login.example.com/#a',
    'https://login.example.com?',
    'https://me:secret@login.example.com',
    '',
  ])('refuses an issuer that others could answer for, or that is none: %s', (oidcIssuer) => {
    expect(() => config({ flags: { oidcIssuer, oidcClientId: 'a' } })).toThrow(
      '--oidc-issuer must be the address',
    );
  });

  it.each(['http://127.0.0.1:9000', 'http://localhost', 'http://[::1]:9000/realm'])(
    'accepts an issuer on this machine without TLS: %s',
    (oidcIssuer) => {
      expect(config({ flags: { oidcIssuer, oidcClientId: 'a' } }).oidc?.issuer).toBe(oidcIssuer);
    },
  );

  it.each(['system:', 'system:oidc:', 'a b', 'ä:', 'x'.repeat(65)])(
    'refuses a prefix: "%s"',
    (oidcGroupsPrefix) => {
      expect(() => config({ flags: { oidcGroupsPrefix } })).toThrow('--oidc-groups-prefix must be');
    },
  );

  it('refuses an issuer where no token is required', () => {
    const flags = { oidcIssuer: 'https://login.example.com', oidcClientId: 'a' };
    expect(() => checkOidc(config({ flags }))).toThrow('--oidc-issuer needs --auth token');
    expect(() => checkOidc(config({ flags: { ...flags, auth: 'token' } }))).not.toThrow();
    expect(() => checkOidc(config({}))).not.toThrow();
  });

  it('knows two ways to authenticate a request', () => {
    expect(config({ env: { XSVC_AUTH: 'token' } }).auth).toBe('token');
    expect(() => config({ flags: { auth: 'basic' } })).toThrow('--auth must be one of none, token');
  });

  it('ignores a file without content', () => {
    expect(config(file('# nothing')).port).toBe(8090);
  });
});

it('a service is refused with all that it lacks', () => {
  const flags = { host: '0.0.0.0', oidcIssuer: 'https://id.example.com', oidcClientId: 'me' };
  expect(() => checkServing(config({ flags }))).toThrow(
    /2 errors in the configuration:\n {2}listening on 0\.0\.0\.0 .*\n {2}--oidc-issuer needs --auth token/,
  );
});

describe('checkListening', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('allows %s', (host) => {
    expect(() => checkListening({ host, auth: 'none', insecure: false })).not.toThrow();
  });

  it('refuses other addresses unless that is said to be meant', () => {
    const beyond = { host: '0.0.0.0', auth: 'none' } as const;
    expect(() => checkListening({ ...beyond, insecure: false })).toThrow('--insecure');
    expect(() => checkListening({ ...beyond, insecure: true })).not.toThrow();
    expect(() => checkListening({ ...beyond, auth: 'token', insecure: false })).not.toThrow();
  });
});

describe('checkPluginOrigin', () => {
  const check = (flags: Readonly<Record<string, string>>): (() => void) => {
    return () => checkPluginOrigin(config({ flags }));
  };
  const cert = { tlsCert: 'cert.pem', tlsKey: 'key.pem' };

  it.each([
    {},
    { pluginOrigin: 'http://127.0.0.1:8091' },
    { pluginOrigin: 'HTTP://LocalHost:8091/' },
    { pluginOrigin: 'http://127.0.0.1:0', port: '0' },
    { pluginOrigin: 'http://[::1]:8091' },
    { pluginOrigin: 'https://localhost', ...cert },
    { pluginOrigin: 'http://pages.example.com:8091', auth: 'token' },
  ])('accepts %j', (flags) => {
    expect(check(flags)).not.toThrow();
  });

  it.each([
    'pages',
    'http://',
    'http://a/path',
    'http://a?x',
    'http://me@a',
    'ftp://a',
    '*',
    'null',
    'http://a:99999',
  ])('refuses what is no origin: %s', (pluginOrigin) => {
    expect(check({ pluginOrigin })).toThrow('--plugin-origin must be an origin without a path');
  });

  it.each([
    [{ pluginOrigin: 'http://127.0.0.1:8090' }, 'is the address of the service itself'],
    [{ pluginOrigin: 'http://localhost:8090' }, 'is the address of the service itself'],
    [{ pluginOrigin: 'http://localhost:1', port: '1', host: '0.0.0.0', auth: 'token' }, 'service itself'],
    [{ pluginOrigin: 'http://localhost', port: '80' }, 'is the address of the service itself'],
    [{ pluginOrigin: 'https://localhost:8091' }, 'needs --tls-cert and --tls-key'],
    [{ pluginOrigin: 'http://localhost:8091', ...cert }, 'must begin with https://'],
    [
      { pluginOrigin: 'http://pages.example.com:8091' },
      'listening on pages.example.com without authentication',
    ],
  ])('refuses %j', (flags, message) => {
    expect(check(flags)).toThrow(message);
  });
});

describe('environmentName', () => {
  it('puts underscores where camelCase has capitals', () => {
    expect(environmentName('logRetentionCount')).toBe('XSVC_LOG_RETENTION_COUNT');
  });
});
