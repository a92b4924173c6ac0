/*
 * Generated from k8s.io/{api,apimachinery,apiextensions-apiserver} v0.37.2 by `npm run kubernetes-data`.
 *
 * A line without a number is a message, with `alone` when JSON shows only its field 1, and `atomic` when
 * it is replaced as a whole. A line with a number is a field: the number, the name in JSON, the type (`list:`
 * repeated, `map:` by texts), and
 *
 * always                    JSON shows it when it is zero, or was not sent
 * omitzero                  JSON leaves it out when it is zero
 * inline                    JSON shows its members as members of the message
 * required                  neither optional, nor left out by JSON
 * listType, mapType, patch  the markers of lists (with their keys), maps and strategic patches (with the merge key)
 */
export const MESSAGES = `
api.authentication.v1.AttestationValue alone
1 items list:string
api.authentication.v1.BoundObjectReference
1 kind string omitzero
2 apiVersion string omitzero
3 name string omitzero
4 uid string omitzero
api.authentication.v1.ExtraValue alone
1 items list:string
api.authentication.v1.SelfSubjectReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 status api.authentication.v1.SelfSubjectReviewStatus always
api.authentication.v1.SelfSubjectReviewStatus
1 userInfo api.authentication.v1.UserInfo always
api.authentication.v1.TokenRequest
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authentication.v1.TokenRequestSpec always
3 status api.authentication.v1.TokenRequestStatus always
api.authentication.v1.TokenRequestSpec
1 audiences list:string listType=atomic
3 boundObjectRef api.authentication.v1.BoundObjectReference
4 expirationSeconds int64
5 attestations map:api.authentication.v1.AttestationValue
api.authentication.v1.TokenRequestStatus
1 token string always
2 expirationTimestamp apimachinery.pkg.apis.meta.v1.Time always
api.authentication.v1.TokenReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authentication.v1.TokenReviewSpec always required
3 status api.authentication.v1.TokenReviewStatus always
api.authentication.v1.TokenReviewSpec
1 token string omitzero
2 audiences list:string listType=atomic
api.authentication.v1.TokenReviewStatus
1 authenticated bool omitzero
2 user api.authentication.v1.UserInfo always
3 error string omitzero
4 audiences list:string listType=atomic
api.authentication.v1.UserInfo
1 username string omitzero
2 uid string omitzero
3 groups list:string listType=atomic
4 extra map:api.authentication.v1.ExtraValue
api.authorization.v1.ExtraValue alone
1 items list:string
api.authorization.v1.FieldSelectorAttributes
1 rawSelector string omitzero
2 requirements list:apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement listType=atomic
api.authorization.v1.LabelSelectorAttributes
1 rawSelector string omitzero
2 requirements list:apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement listType=atomic
api.authorization.v1.LocalSubjectAccessReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authorization.v1.SubjectAccessReviewSpec always required
3 status api.authorization.v1.SubjectAccessReviewStatus always
api.authorization.v1.NonResourceAttributes
1 path string omitzero
2 verb string omitzero
api.authorization.v1.NonResourceRule
1 verbs list:string required listType=atomic
2 nonResourceURLs list:string listType=atomic
api.authorization.v1.ResourceAttributes
1 namespace string omitzero
2 verb string omitzero
3 group string omitzero
4 version string omitzero
5 resource string omitzero
6 subresource string omitzero
7 name string omitzero
8 fieldSelector api.authorization.v1.FieldSelectorAttributes
9 labelSelector api.authorization.v1.LabelSelectorAttributes
api.authorization.v1.ResourceRule
1 verbs list:string required listType=atomic
2 apiGroups list:string listType=atomic
3 resources list:string listType=atomic
4 resourceNames list:string listType=atomic
api.authorization.v1.SelfSubjectAccessReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authorization.v1.SelfSubjectAccessReviewSpec always required
3 status api.authorization.v1.SubjectAccessReviewStatus always
api.authorization.v1.SelfSubjectAccessReviewSpec
1 resourceAttributes api.authorization.v1.ResourceAttributes
2 nonResourceAttributes api.authorization.v1.NonResourceAttributes
api.authorization.v1.SelfSubjectRulesReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authorization.v1.SelfSubjectRulesReviewSpec always required
3 status api.authorization.v1.SubjectRulesReviewStatus always
api.authorization.v1.SelfSubjectRulesReviewSpec
1 namespace string omitzero
api.authorization.v1.SubjectAccessReview
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.authorization.v1.SubjectAccessReviewSpec always required
3 status api.authorization.v1.SubjectAccessReviewStatus always
api.authorization.v1.SubjectAccessReviewSpec
1 resourceAttributes api.authorization.v1.ResourceAttributes
2 nonResourceAttributes api.authorization.v1.NonResourceAttributes
3 user string omitzero
4 groups list:string listType=atomic
5 extra map:api.authorization.v1.ExtraValue
6 uid string omitzero
api.authorization.v1.SubjectAccessReviewStatus
1 allowed bool always required
2 reason string omitzero
3 evaluationError string omitzero
4 denied bool omitzero
api.authorization.v1.SubjectRulesReviewStatus
1 resourceRules list:api.authorization.v1.ResourceRule required listType=atomic
2 nonResourceRules list:api.authorization.v1.NonResourceRule required listType=atomic
3 incomplete bool always required
4 evaluationError string omitzero
api.autoscaling.v1.Scale
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.autoscaling.v1.ScaleSpec always
3 status api.autoscaling.v1.ScaleStatus always
api.autoscaling.v1.ScaleSpec
1 replicas int32 omitzero
api.autoscaling.v1.ScaleStatus
1 replicas int32 always required
2 selector string omitzero
api.coordination.v1.Lease
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.coordination.v1.LeaseSpec always
api.coordination.v1.LeaseSpec
1 holderIdentity string
2 leaseDurationSeconds int32
3 acquireTime apimachinery.pkg.apis.meta.v1.MicroTime
4 renewTime apimachinery.pkg.apis.meta.v1.MicroTime
5 leaseTransitions int32
6 strategy string
7 preferredHolder string
api.core.v1.ConfigMap
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 data map:string
3 binaryData map:bytes
4 immutable bool
api.core.v1.Event
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always required
2 involvedObject api.core.v1.ObjectReference always required
3 reason string omitzero
4 message string omitzero
5 source api.core.v1.EventSource always
6 firstTimestamp apimachinery.pkg.apis.meta.v1.Time always
7 lastTimestamp apimachinery.pkg.apis.meta.v1.Time always
8 count int32 omitzero
9 type string omitzero
10 eventTime apimachinery.pkg.apis.meta.v1.MicroTime always
11 series api.core.v1.EventSeries
12 action string omitzero
13 related api.core.v1.ObjectReference
14 reportingComponent string always
15 reportingInstance string always
api.core.v1.EventSeries
1 count int32 omitzero
2 lastObservedTime apimachinery.pkg.apis.meta.v1.MicroTime always
api.core.v1.EventSource
1 component string omitzero
2 host string omitzero
api.core.v1.LocalObjectReference atomic
1 name string omitzero
api.core.v1.Namespace
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec api.core.v1.NamespaceSpec always
3 status api.core.v1.NamespaceStatus always
api.core.v1.NamespaceCondition
1 type string always required
2 status string always required
4 lastTransitionTime apimachinery.pkg.apis.meta.v1.Time always
5 reason string omitzero
6 message string omitzero
api.core.v1.NamespaceSpec
1 finalizers list:string listType=atomic
api.core.v1.NamespaceStatus
1 phase string omitzero
2 conditions list:api.core.v1.NamespaceCondition listType=map,type patch=merge:type
api.core.v1.ObjectReference atomic
1 kind string omitzero
2 namespace string omitzero
3 name string omitzero
4 uid string omitzero
5 apiVersion string omitzero
6 resourceVersion string omitzero
7 fieldPath string omitzero
api.core.v1.Secret
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 data map:bytes
3 type string omitzero
4 stringData map:string
5 immutable bool
api.core.v1.ServiceAccount
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 secrets list:api.core.v1.ObjectReference listType=map,name patch=merge:name
3 imagePullSecrets list:api.core.v1.LocalObjectReference listType=atomic
4 automountServiceAccountToken bool
api.events.v1.Event
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 eventTime apimachinery.pkg.apis.meta.v1.MicroTime always required
3 series api.events.v1.EventSeries
4 reportingController string omitzero
5 reportingInstance string omitzero
6 action string omitzero
7 reason string omitzero
8 regarding api.core.v1.ObjectReference always
9 related api.core.v1.ObjectReference
10 note string omitzero
11 type string omitzero
12 deprecatedSource api.core.v1.EventSource always
13 deprecatedFirstTimestamp apimachinery.pkg.apis.meta.v1.Time always
14 deprecatedLastTimestamp apimachinery.pkg.apis.meta.v1.Time always
15 deprecatedCount int32 omitzero
api.events.v1.EventSeries
1 count int32 always required
2 lastObservedTime apimachinery.pkg.apis.meta.v1.MicroTime always required
api.rbac.v1.AggregationRule
1 clusterRoleSelectors list:apimachinery.pkg.apis.meta.v1.LabelSelector listType=atomic
api.rbac.v1.ClusterRole
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 rules list:api.rbac.v1.PolicyRule listType=atomic
3 aggregationRule api.rbac.v1.AggregationRule
api.rbac.v1.ClusterRoleBinding
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 subjects list:api.rbac.v1.Subject listType=atomic
3 roleRef api.rbac.v1.RoleRef always required
api.rbac.v1.PolicyRule
1 verbs list:string required listType=atomic
2 apiGroups list:string listType=atomic
3 resources list:string listType=atomic
4 resourceNames list:string listType=atomic
5 nonResourceURLs list:string listType=atomic
api.rbac.v1.Role
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 rules list:api.rbac.v1.PolicyRule listType=atomic
api.rbac.v1.RoleBinding
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 subjects list:api.rbac.v1.Subject listType=atomic
3 roleRef api.rbac.v1.RoleRef always required
api.rbac.v1.RoleRef atomic
1 apiGroup string always
2 kind string always required
3 name string always required
api.rbac.v1.Subject atomic
1 kind string always required
2 apiGroup string omitzero
3 name string always required
4 namespace string omitzero
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition
1 name string always required
2 type string always required
3 format string omitzero
4 description string omitzero
5 priority int32 omitzero
6 jsonPath string always required
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion
1 strategy string always required
2 webhook apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookConversion
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition
1 metadata apimachinery.pkg.apis.meta.v1.ObjectMeta always
2 spec apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec always required
3 status apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus always
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition
1 type string always required
2 status string always required
3 lastTransitionTime apimachinery.pkg.apis.meta.v1.Time always
4 reason string omitzero
5 message string omitzero
6 observedGeneration int64 omitzero
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames
1 plural string always required
2 singular string omitzero
3 shortNames list:string listType=atomic
4 kind string always required
5 listKind string omitzero
6 categories list:string listType=atomic
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec
1 group string always required
3 names apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames always required
4 scope string always required
7 versions list:apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion required listType=atomic
9 conversion apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion
10 preserveUnknownFields bool omitzero
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus
1 conditions list:apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition listType=map,type
2 acceptedNames apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames always
3 storedVersions list:string listType=atomic
4 observedGeneration int64 omitzero
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion
1 name string always required
2 served bool always required
3 storage bool always required
4 schema apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation
5 subresources apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources
6 additionalPrinterColumns list:apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition listType=atomic
7 deprecated bool omitzero
8 deprecationWarning string
9 selectableFields list:apiextensions_apiserver.pkg.apis.apiextensions.v1.SelectableField listType=atomic
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale
1 specReplicasPath string always required
2 statusReplicasPath string always required
3 labelSelectorPath string
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources
1 status apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus
2 scale apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale
apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation
1 openAPIV3Schema apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
apiextensions_apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation
1 description string omitzero
2 url string omitzero
apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON alone
1 raw json
apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
1 id string omitzero
2 $schema string omitzero
3 $ref string
4 description string omitzero
5 type string omitzero
6 format string omitzero
7 title string omitzero
8 default apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON
9 maximum double
10 exclusiveMaximum bool omitzero
11 minimum double
12 exclusiveMinimum bool omitzero
13 maxLength int64
14 minLength int64
15 pattern string omitzero
16 maxItems int64
17 minItems int64
18 uniqueItems bool omitzero
19 multipleOf double
20 enum list:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON listType=atomic
21 maxProperties int64
22 minProperties int64
23 required list:string listType=atomic
24 items apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray
25 allOf list:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps listType=atomic
26 oneOf list:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps listType=atomic
27 anyOf list:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps listType=atomic
28 not apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
29 properties map:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
30 additionalProperties apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool
31 patternProperties map:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
32 dependencies map:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray
33 additionalItems apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool
34 definitions map:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
35 externalDocs apiextensions_apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation
36 example apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON
37 nullable bool omitzero
38 x-kubernetes-preserve-unknown-fields bool
39 x-kubernetes-embedded-resource bool omitzero
40 x-kubernetes-int-or-string bool omitzero
41 x-kubernetes-list-map-keys list:string listType=atomic
42 x-kubernetes-list-type string
43 x-kubernetes-map-type string
44 x-kubernetes-validations list:apiextensions_apiserver.pkg.apis.apiextensions.v1.ValidationRule listType=map,rule patch=merge:rule
apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray
1 schema apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
2 jSONSchemas list:apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps listType=atomic
apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool
1 allows bool
2 schema apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray
1 schema apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
2 property list:string listType=atomic
apiextensions_apiserver.pkg.apis.apiextensions.v1.SelectableField
1 jsonPath string always required
apiextensions_apiserver.pkg.apis.apiextensions.v1.ServiceReference
1 namespace string always required
2 name string always required
3 path string
4 port int32
apiextensions_apiserver.pkg.apis.apiextensions.v1.ValidationRule
1 rule string always required
2 message string omitzero
3 messageExpression string omitzero
4 reason string
5 fieldPath string omitzero
6 optionalOldSelf bool
apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig
1 service apiextensions_apiserver.pkg.apis.apiextensions.v1.ServiceReference
2 caBundle bytes omitzero
3 url string
apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookConversion
2 clientConfig apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig
3 conversionReviewVersions list:string required listType=atomic
apimachinery.pkg.apis.meta.v1.DeleteOptions
1 gracePeriodSeconds int64
2 preconditions apimachinery.pkg.apis.meta.v1.Preconditions
3 orphanDependents bool
4 propagationPolicy string
5 dryRun list:string listType=atomic
6 ignoreStoreReadErrorWithClusterBreakingPotential bool
apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement
1 key string always required
2 operator string always required
3 values list:string listType=atomic
apimachinery.pkg.apis.meta.v1.FieldsV1 alone
1 raw json
apimachinery.pkg.apis.meta.v1.LabelSelector atomic
1 matchLabels map:string
2 matchExpressions list:apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement listType=atomic
apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement
1 key string always required
2 operator string always required
3 values list:string listType=atomic
apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry
1 manager string omitzero
2 operation string omitzero
3 apiVersion string omitzero
4 time apimachinery.pkg.apis.meta.v1.Time
6 fieldsType string omitzero
7 fieldsV1 apimachinery.pkg.apis.meta.v1.FieldsV1
8 subresource string omitzero
apimachinery.pkg.apis.meta.v1.MicroTime
1 seconds int64
2 nanos int32
apimachinery.pkg.apis.meta.v1.ObjectMeta
1 name string omitzero
2 generateName string omitzero
3 namespace string omitzero
4 selfLink string omitzero
5 uid string omitzero
6 resourceVersion string omitzero
7 generation int64 omitzero
8 creationTimestamp apimachinery.pkg.apis.meta.v1.Time omitzero
9 deletionTimestamp apimachinery.pkg.apis.meta.v1.Time
10 deletionGracePeriodSeconds int64
11 labels map:string
12 annotations map:string
13 ownerReferences list:apimachinery.pkg.apis.meta.v1.OwnerReference listType=map,uid patch=merge:uid
14 finalizers list:string listType=set patch=merge
17 managedFields list:apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry listType=atomic
apimachinery.pkg.apis.meta.v1.OwnerReference atomic
1 kind string always required
3 name string always required
4 uid string always required
5 apiVersion string always required
6 controller bool
7 blockOwnerDeletion bool
apimachinery.pkg.apis.meta.v1.Preconditions
1 uid string
2 resourceVersion string
apimachinery.pkg.apis.meta.v1.Time
1 seconds int64
2 nanos int32
`;
