package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// In order: later steps use what earlier ones made.
var steps = []step{
	{"envtest", testEnvironment},
	{"namespaces", namespaces},
	{"configmaps", configMaps},
	{"secrets", secrets},
	{"service accounts", serviceAccounts},
	{"leases", leases},
	{"events of v1", coreEvents},
	{"strategic merge patches", strategicMerge},
	{"informers", informer},
	{"the dynamic client", dynamicClient},
	{"the metadata client", metadataClient},
	{"the scale client", scaleClient},
	{"discovery", discoverKinds},
	{"access reviews", accessReview},
	{"deletecollection", deleteCollection},
	{"the deletion of a namespace", deleteNamespace},
	{"events of events.k8s.io", newEvents},
}

var (
	siteKind     = schema.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Site"}
	siteResource = schema.GroupVersionResource{Group: "web.example.com", Version: "v1", Resource: "sites"}
	create       = metav1.CreateOptions{}
	update       = metav1.UpdateOptions{}
	get          = metav1.GetOptions{}
)
