/** Variables of the environment that hold secrets of this program. */
export const SECRET_NAMES = ['XSVC_TOKEN', 'PGPASSWORD', 'ETCD_PASSWORD'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

type Environment = Record<string, string | undefined>;

const taken = new Map<SecretName, string>();

/**
 * Takes secrets out of the environment of this process: code of plugins that is loaded later, and programs that it
 * starts, do not find them there.
 */
export function takeSecrets(env: Environment): void {
  for (const name of SECRET_NAMES) {
    const value = env[name];
    if (value !== undefined) taken.set(name, value);
    Reflect.deleteProperty(env, name);
  }
}

/** A secret, wherever it is now. */
export function findSecret(name: SecretName): string | undefined {
  return taken.get(name) ?? process.env[name];
}

/** Secrets that were taken out, for another process of this program, which takes them out of its environment in turn. */
export function takenSecrets(): Readonly<Record<string, string>> {
  return Object.fromEntries(taken);
}
