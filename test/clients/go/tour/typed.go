package main

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": "tour"}}
}

func namespaces(t *tour, ctx context.Context) error {
	made, err := t.typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, create)
	if err != nil {
		return err
	}
	if err := differs("the phase", made.Status.Phase, corev1.NamespaceActive); err != nil {
		return err
	}
	_, err = t.typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, create)
	return differs("a second create a conflict", errors.IsAlreadyExists(err), true)
}

func configMaps(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().ConfigMaps(namespace)
	given := &corev1.ConfigMap{
		ObjectMeta: named("page"),
		Data:       map[string]string{"title": "Grüße"},
		BinaryData: map[string][]byte{"icon": {0, 255, 10}},
	}
	made, err := client.Create(ctx, given, create)
	if err != nil {
		return err
	}
	if err := differs("the icon", string(made.BinaryData["icon"]), "\x00\xff\n"); err != nil {
		return err
	}
	changed := made.DeepCopy()
	changed.Data["title"] = "Other"
	if _, err := client.Update(ctx, changed, update); err != nil {
		return err
	}
	// It still has the revision from before.
	_, err = client.Update(ctx, made, update)
	return differs("an update of an old state a conflict", errors.IsConflict(err), true)
}

func secrets(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().Secrets(namespace)
	given := &corev1.Secret{ObjectMeta: named("key"), StringData: map[string]string{"password": "open"}}
	if _, err := client.Create(ctx, given, create); err != nil {
		return err
	}
	found, err := client.Get(ctx, "key", get)
	if err != nil {
		return err
	}
	if err := differs("the type", found.Type, corev1.SecretTypeOpaque); err != nil {
		return err
	}
	return differs("the password", string(found.Data["password"]), "open")
}

func serviceAccounts(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().ServiceAccounts(namespace)
	if _, err := client.Create(ctx, &corev1.ServiceAccount{ObjectMeta: named("robot")}, create); err != nil {
		return err
	}
	// Every namespace has it.
	_, err := client.Get(ctx, "default", get)
	return err
}

func leases(t *tour, ctx context.Context) error {
	client := t.typed.CoordinationV1().Leases(namespace)
	holder, seconds := "one", int32(15)
	renewed := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC))
	spec := coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &renewed}
	if _, err := client.Create(ctx, &coordinationv1.Lease{ObjectMeta: named("lock"), Spec: spec}, create); err != nil {
		return err
	}
	found, err := client.Get(ctx, "lock", get)
	if err != nil {
		return err
	}
	return differs("the microseconds", found.Spec.RenewTime.Nanosecond(), renewed.Nanosecond())
}

func coreEvents(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().Events(namespace)
	about := corev1.ObjectReference{Kind: "ConfigMap", APIVersion: "v1", Namespace: namespace, Name: "page"}
	given := &corev1.Event{
		ObjectMeta:     named("page.1"),
		InvolvedObject: about,
		Reason:         "Read",
		Message:        "somebody read it",
		Type:           corev1.EventTypeNormal,
		Count:          1,
	}
	if _, err := client.Create(ctx, given, create); err != nil {
		return err
	}
	body := []byte(`{"count": 2}`)
	if _, err := client.Patch(ctx, "page.1", types.StrategicMergePatchType, body, metav1.PatchOptions{}); err != nil {
		return err
	}
	selector := client.GetFieldSelector(&about.Name, nil, nil, nil).String()
	list, err := client.List(ctx, metav1.ListOptions{FieldSelector: selector})
	if err != nil {
		return err
	}
	if err := differs("the number of events", len(list.Items), 1); err != nil {
		return err
	}
	return differs("the count", list.Items[0].Count, 2)
}

func newEvents(t *tour, ctx context.Context) error {
	given := &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: "default", Name: "tour.1"},
		EventTime:           metav1.NowMicro(),
		ReportingController: "example.com/tour",
		ReportingInstance:   "tour-1",
		Action:              "Walk",
		Reason:              "Walked",
		Type:                corev1.EventTypeNormal,
		Note:                "to the end",
		Regarding:           corev1.ObjectReference{Kind: "Namespace", APIVersion: "v1", Name: "default"},
	}
	if _, err := t.typed.EventsV1().Events("default").Create(ctx, given, create); err != nil {
		return err
	}
	seen, err := t.typed.CoreV1().Events("default").Get(ctx, "tour.1", get)
	if err != nil {
		return err
	}
	return differs("its message in v1", seen.Message, "to the end")
}

func strategicMerge(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().ServiceAccounts(namespace)
	for _, name := range []string{"first", "second"} {
		body := fmt.Appendf(nil, `{"secrets": [{"name": %q}]}`, name)
		if _, err := client.Patch(ctx, "robot", types.StrategicMergePatchType, body, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	found, err := client.Get(ctx, "robot", get)
	if err != nil {
		return err
	}
	return differs("the number of merged secrets", len(found.Secrets), 2)
}

func accessReview(t *tour, ctx context.Context) error {
	attributes := &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "get", Resource: "secrets"}
	review := &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
	}
	answer, err := t.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, create)
	if err != nil {
		return err
	}
	return differs("the right to read secrets", answer.Status.Allowed, true)
}

func deleteCollection(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().ConfigMaps(namespace)
	if _, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, create); err != nil {
		return err
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=tour"}); err != nil {
		return err
	}
	left, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err := differs("the number that is left", len(left.Items), 1); err != nil {
		return err
	}
	return differs("the one that is left", left.Items[0].Name, "kept")
}
