import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from './store.js';

/** A certificate and its key, in PEM files. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const DAY_MS = 24 * 60 * 60 * 1000;

/** Signs certificates that tests need, for 127.0.0.1 and for both ends of a connection. */
export class Authority {
  readonly caFile: string;
  readonly #directory = temporaryDirectory();
  readonly #keyFile: string;

  constructor() {
    this.caFile = this.#file('ca.pem');
    this.#keyFile = this.#file('ca.key');
    const files = ['-keyout', this.#keyFile, '-out', this.caFile];
    openssl(['req', '-x509', ...NEW_KEY, '-days', '2', '-subj', '/CN=authority of tests', ...files]);
    writeFileSync(this.#file('index'), '');
    writeFileSync(
      this.#file('config'),
      [
        '[ca]\ndefault_ca = tests',
        `[tests]\ndatabase = ${this.#file('index')}\nnew_certs_dir = ${this.#directory}\nrand_serial = yes`,
        'default_md = sha256\npolicy = any\nunique_subject = no',
        '[any]\norganizationName = optional\ncommonName = supplied',
        '[both]\nsubjectAltName = IP:127.0.0.1\nextendedKeyUsage = serverAuth, clientAuth',
      ].join('\n'),
    );
  }

  /** @param forMs how long it is valid from now on; less than 0 for one that has expired */
  sign(name: string, forMs = DAY_MS, organizations: readonly string[] = []): Certificate {
    const [keyFile, certFile] = [this.#file(`${name}.key`), this.#file(`${name}.pem`)];
    const asked = this.#file(`${name}.csr`);
    const subject = `${organizations.map((one) => `/O=${one}`).join('')}/CN=${name}`;
    openssl(['req', ...NEW_KEY, '-subj', subject, '-keyout', keyFile, '-out', asked]);
    const now = Date.now();
    const times = ['-startdate', timeOf(now - DAY_MS), '-enddate', timeOf(now + forMs)];
    const by = ['-cert', this.caFile, '-keyfile', this.#keyFile];
    const config = ['-config', this.#file('config'), '-extensions', 'both'];
    openssl(['ca', '-batch', '-notext', ...config, ...by, ...times, '-in', asked, '-out', certFile]);
    return { certFile, keyFile };
  }

  #file(name: string): string {
    return path.join(this.#directory, name);
  }
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

/** As openssl reads it: `20260131235959Z`. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().replace(/[-:T]|\..*/gu, '')}Z`;
}
