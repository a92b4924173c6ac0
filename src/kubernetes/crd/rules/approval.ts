import type { Definition } from '../definition.js';

export const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED_GROUP = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i;

/** The condition that a definition in a group of Kubernetes has, without its time. */
export interface ApprovalCondition {
  readonly type: 'KubernetesAPIApprovalPolicyConformant';
  readonly status: 'True' | 'False';
  readonly reason: 'ApprovedAnnotation' | 'UnapprovedAnnotation';
  readonly message: string;
}

/** True for a definition in a group of Kubernetes that has neither an approval nor a reason for its absence. */
export function lacksApproval(definition: Definition): boolean {
  const approval = approvalOf(definition);
  return isProtected(definition) && !isUnapproved(approval) && !ADDRESS.test(approval);
}

/** Undefined outside of the groups of Kubernetes. */
export function approvalCondition(definition: Definition): ApprovalCondition | undefined {
  if (!isProtected(definition)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const approval = approvalOf(definition);
  return isUnapproved(approval)
    ? { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${approval}` }
    : { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval}` };
}

function isProtected({ spec: { group = '' } = {} }: Definition): boolean {
  return PROTECTED_GROUP.test(group);
}

function approvalOf({ metadata: { annotations = {} } = {} }: Definition): string {
  return annotations[APPROVAL] ?? '';
}

function isUnapproved(approval: string): boolean {
  return approval.startsWith('unapproved');
}
