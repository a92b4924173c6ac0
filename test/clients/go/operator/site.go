package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "web.example.com", Version: "v1"}

// Site is the kind of ../../site.yaml.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitempty"`
}

type SiteSpec struct {
	Title    string `json:"title"`
	Theme    string `json:"theme,omitempty"`
	Replicas int32  `json:"replicas,omitempty"`
}

type SiteStatus struct {
	Replicas   int32              `json:"replicas,omitempty"`
	SameTheme  int32              `json:"sameTheme,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

func (s *Site) copied() *Site {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	out.Status.Conditions = append([]metav1.Condition(nil), s.Status.Conditions...)
	return &out
}

func (s *Site) DeepCopyObject() runtime.Object { return s.copied() }

func (l *SiteList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]Site, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].copied()
	}
	return &out
}

func addKinds(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(groupVersion, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
}
