import { formatYaml } from '../lib/json/yaml.js';

const NAME = 'xsvc';

export interface KubeconfigServer {
  readonly url: string;
  /** The file of the issuer of its certificate. Default: one that the machine knows. */
  readonly issuerFile?: string | undefined;
}

export interface KubeconfigOptions {
  readonly server: KubeconfigServer;
  /** The members of its user. Default: none. */
  readonly user?: object;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
}

/** A kubeconfig with one context, as a value for YAML. */
export function kubeconfigOf({ server, user = {}, namespace = 'default' }: KubeconfigOptions): object {
  const { url, issuerFile } = server;
  const cluster = { server: url, ...(issuerFile !== undefined && { 'certificate-authority': issuerFile }) };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace } }],
    'current-context': NAME,
  };
}

/** {@link kubeconfigOf} as text. */
export function formatKubeconfig(options: KubeconfigOptions): string {
  return formatYaml(kubeconfigOf(options));
}
