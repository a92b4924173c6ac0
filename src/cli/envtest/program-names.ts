/** The programs that envtest starts. */
export const PROGRAMS = ['etcd', 'kube-apiserver'] as const;
export type ProgramName = (typeof PROGRAMS)[number];
