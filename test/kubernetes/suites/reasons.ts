/** Why tests of public suites fail here. */
export interface SuiteReason {
  readonly reason: string;
  /** The package of a suite, and patterns of its tests. */
  readonly tests: Readonly<Record<string, readonly RegExp[]>>;
}

const RUNTIME = 'sigs.k8s.io/controller-runtime/pkg';
const FLUX = 'github.com/fluxcd/pkg/ssa';
const GATEWAY = 'sigs.k8s.io/gateway-api/pkg/test/cel';
const JOBSET = 'sigs.k8s.io/jobset/test/integration/controller';

export const REASONS: readonly SuiteReason[] = [
  {
    reason: 'a value is refused at the same field, in other words than those that the test compares',
    tests: {
      [GATEWAY]: [
        /^TestBackendTLSPolicyValidation\/invalid_/,
        /^TestHTTPPathMatch\/invalid_type$/,
        /^TestValidateGateway\/ip_address_and_hostname_in_(status_)?addresses_are_invalid$/,
      ],
    },
  },
  {
    reason: 'Pods have no evictions and bindings, since no Pods run',
    tests: {
      [`${RUNTIME}/client`]: [/should be able to create Pod (evictions|bindings)$/, /evicts a pod/],
    },
  },
  {
    reason: 'the kind CertificateSigningRequest is not served',
    tests: { [`${RUNTIME}/client`]: [/should be able to approve CSRs/] },
  },
  {
    reason: 'objects have `metadata.updateTimestamp`, and the test compares all fields',
    tests: {
      [`${RUNTIME}/client`]: [/^Client Get with unstructured objects should fetch an existing/],
      [`${RUNTIME}/cache`]: [/with unstructured objects should deep copy the object unless told otherwise$/],
    },
  },
  {
    reason:
      'items of a list have `apiVersion` and `kind`, which a kube-apiserver leaves out for kinds of Kubernetes',
    tests: {
      [`${RUNTIME}/client`]: [
        /^DryRunClient should successfully List objects$/,
        /^NamespacedClient List .*(when namespace is not specified|from the namespace specified)/,
      ],
    },
  },
  {
    reason: 'annotations do not change through `/status`, which some kinds of Kubernetes allow',
    tests: { [`${RUNTIME}/client`]: [/should patch status and preserve type information$/] },
  },
  {
    reason:
      'a new namespace has the ServiceAccount `default`, as in a cluster; a kube-apiserver alone makes none',
    tests: { [`${RUNTIME}/cache`]: [/^Cache with selectors Should list serviceaccounts/] },
  },
  {
    reason: 'the test downloads an older kube-apiserver, which it runs beside',
    tests: { [`${RUNTIME}/client/apiutil`]: [/\/aggregatedDiscovery=false$/] },
  },
  {
    reason: 'the last state of an object that is deleted at once has a `deletionTimestamp`',
    tests: { [`${RUNTIME}/source`]: [/./] },
  },
  {
    reason: 'requests as another user (`Impersonate-User`) are refused',
    tests: { [FLUX]: [/^TestApplyAllStaged_(PartialFailure|AppliesRoleAndRoleBinding)\//] },
  },
  {
    reason: 'values of kinds that nothing acts on are not checked one by one',
    tests: {
      [FLUX]: [
        /^TestApply_DriftIgnoreRules_RequiredMutableField\//,
        /^TestApply_Force\/(recreates_immutable_StorageClass|force_apply_returns_validation_error)/,
      ],
      [JOBSET]: [/with an invalid Job template should emit a warning event$/],
    },
  },
  {
    reason: 'an apply works where the test expects an error of Kubernetes: `field not declared in schema`',
    tests: { [FLUX]: [/MigrateAPIVersion/] },
  },
  {
    reason: 'the test fails with a kube-apiserver v1.37.2, too',
    tests: {
      [FLUX]: [/^TestWaitForSet_JobWithTTL\/NotFound_Job_without_TTL/],
      [JOBSET]: [/rejects updates to parallelism and completions$/],
    },
  },
];
