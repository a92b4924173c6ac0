/**
 * Public test suites that run against this service as they are. `runner` tells who counts the tests of a package: Ginkgo,
 * whose specs are one test of Go, or Go. `crds` is a directory of definitions: such a suite has no control plane of its own
 * and runs below `xsvc envtest`. The others start one by `envtest` of controller-runtime. `flags` are those of `xsvc envtest`: a
 * suite that deletes owned objects itself needs `--no-garbage-collection`.
 */
export const SUITES = [
  {
    project: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.25.2',
    runner: 'ginkgo',
    packages: {
      './pkg/builder': 'controllers and webhooks that are built',
      './pkg/cache': 'caches',
      './pkg/client': 'clients',
      './pkg/client/apiutil': 'discovery',
      './pkg/cluster': 'clusters',
      './pkg/controller': 'controllers',
      './pkg/controller/controllerutil': 'owners and finalizers',
      './pkg/envtest': 'definitions and webhooks of suites',
      './pkg/handler': 'handlers of events',
      './pkg/internal/controller': 'the work of controllers',
      './pkg/internal/recorder': 'recorded events',
      './pkg/manager': 'managers and leader election',
      './pkg/manager/internal/integration': 'conversion webhooks with a manager',
      './pkg/metrics/filters': 'access to metrics',
      './pkg/reconcile': 'reconcilers',
      './pkg/source': 'sources of events',
      './pkg/webhook': 'admission webhooks',
    },
  },
  {
    project: 'Flux',
    module: 'github.com/fluxcd/pkg/ssa',
    version: 'v0.78.0',
    runner: 'go',
    packages: { '.': 'server-side apply', './jsondiff': 'differences by dry runs' },
  },
  {
    project: 'Gateway API',
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.4.1',
    runner: 'go',
    crds: 'config/crd/standard',
    packages: { './pkg/test/cel': 'rules of definitions' },
  },
  {
    project: 'JobSet',
    module: 'sigs.k8s.io/jobset',
    version: 'v0.12.0',
    runner: 'ginkgo',
    flags: ['--no-garbage-collection'],
    packages: {
      './test/integration/controller': 'an operator',
      './test/integration/webhook': 'its webhooks',
    },
  },
  {
    // Tests of its controllers are left out: some wait for minutes.
    project: 'LeaderWorkerSet',
    module: 'sigs.k8s.io/lws',
    version: 'v0.9.0',
    runner: 'ginkgo',
    packages: { './test/integration/webhooks': 'the webhooks of an operator' },
  },
];
