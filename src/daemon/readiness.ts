import type { AuditLog } from '../audit/audit-log.js';
import type { Startup } from '../http/guards/startup.js';
import type { HealthCheck } from '../http/platform/platform.js';
import type { Engine, SpaceUse } from '../store/engine.js';
import { leaderText, type Leadership } from './leadership.js';

export function getReadiness(
  startup: Pick<Startup, 'isOver' | 'phase'>,
  state: { readonly isStopping: boolean },
  engine: Pick<Engine, 'writeProblem' | 'sharedLog'>,
  leadership: Pick<Leadership, 'view'>,
): readonly HealthCheck[] {
  return [
    { name: 'plugins', problem: () => (startup.isOver ? undefined : startingText(startup)) },
    { name: 'shutdown', problem: () => (state.isStopping ? 'the service is stopping' : undefined) },
    {
      name: 'store',
      problem: () => engine.writeProblem(),
      detail: () => spaceText(engine.sharedLog()?.space),
    },
    { name: 'leader', problem: () => undefined, detail: () => leaderText(leadership.view()) },
  ];
}

export function auditCheck(audit: AuditLog): HealthCheck {
  return { name: 'audit', problem: () => audit.findProblem() };
}

function spaceText(space: SpaceUse | undefined): string | undefined {
  if (space === undefined) return undefined;
  const [usage, quota] = [space.usedBytes, space.quotaBytes].map((bytes) => Math.round(bytes / 1024 ** 2));
  return `its servers use ${usage} of ${quota} MiB`;
}

function startingText({ phase }: Pick<Startup, 'phase'>): string {
  return phase === undefined ? 'plugins are starting' : `plugins are starting: ${phase}`;
}
