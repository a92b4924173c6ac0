import { statSync } from 'node:fs';
import type { Express } from 'express';
import { addGet } from './get-route.js';
import { sendValue } from '../answer/respond.js';

/** The Kubernetes minor version whose API this one resembles; clients compare it with their own. */
const KUBERNETES_MINOR = 32;

/** Mounts `/version`. @param version of the program */
export function addVersion(app: Express, version: string): void {
  const info = versionInfo(version);
  addGet(app, '/version', (req, res) => sendValue(req, res, 200, info), 'discovery');
}

/** All members that Kubernetes has, for some of its clients take no answer without one of them, and two of our own. */
function versionInfo(version: string): object {
  return {
    major: '1',
    minor: String(KUBERNETES_MINOR),
    gitVersion: `v1.${KUBERNETES_MINOR}.0+xsvc.${version}`,
    // A package knows nothing of the repository that it was made from.
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

/** When this file was written. */
function buildDate(): string {
  return statSync(new URL(import.meta.url))
    .mtime.toISOString()
    .replace(/\.\d+Z$/, 'Z');
}
