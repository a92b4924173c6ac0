import { statSync } from 'node:fs';
import type { Express } from 'express';
import { addGet } from './get-route.js';
import { sendValue } from '../answer/respond.js';

/** The Kubernetes minor version whose API this one resembles; clients compare it with their own. */
const KUBERNETES_MINOR = 32;

/**
 * Mounts `/version`.
 * @param version of the program
 */
export function addVersion(app: Express, version: string): void {
  const info = versionInfo(version);
  addGet(app, '/version', (req, res) => sendValue(req, res, 200, info), 'discovery');
}

/** All members of Kubernetes' answer, because some clients require each of them, and two additional ones. */
function versionInfo(version: string): object {
  return {
    major: '1',
    minor: String(KUBERNETES_MINOR),
    gitVersion: `v1.${KUBERNETES_MINOR}.0+xsvc.${version}`,
    // A package has no information about its source repository.
    gitCommit: 'unknown',
    gitTreeState: 'archive',
    buildDate: buildDate(),
    goVersion: `none, node ${process.version}`,
    compiler: `V8 ${process.versions.v8}`,
    platform: `${process.platform}/${process.arch}`,
    xsvcVersion: version,
    nodeVersion: process.version,
  };
}

/** The modification time of this file. */
function buildDate(): string {
  return statSync(new URL(import.meta.url))
    .mtime.toISOString()
    .replace(/\.\d+Z$/, 'Z');
}
