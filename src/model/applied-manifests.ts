/** Annotation with the text of the manifest that `xsvc apply` applied last. */
export const LAST_APPLIED = 'xsvc.platform.run/last-applied';

/** Annotation with the text of the manifest that `kubectl apply` without `--server-side` applied last. */
export const KUBECTL_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations that contain a whole manifest as JSON. */
export const APPLIED_MANIFESTS = [LAST_APPLIED, KUBECTL_LAST_APPLIED] as const;
