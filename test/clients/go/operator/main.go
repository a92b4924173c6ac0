// An operator as controller-runtime makes them: leader election, a cache with a field index, an owned kind, a finalizer,
// conditions and events. Its argument is the name of this replica.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	finalizer = "web.example.com/unpublish"
	byTheme   = "spec.theme"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(replica string) error {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	addKinds(scheme.Scheme)
	// Short times: the other replica has to take over within a test.
	lease, renew, retry := 4*time.Second, 3*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 metrics.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "site-operator",
		LeaderElectionNamespace: "default",
		LeaseDuration:           &lease,
		RenewDeadline:           &renew,
		RetryPeriod:             &retry,
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	theme := func(one client.Object) []string { return []string{one.(*Site).Spec.Theme} }
	if err := manager.GetFieldIndexer().IndexField(ctx, &Site{}, byTheme, theme); err != nil {
		return err
	}
	reconciler := &sites{
		Client:  manager.GetClient(),
		replica: replica,
		//lint:ignore SA1019 the recorder that most operators use
		old:    manager.GetEventRecorderFor("site-operator"),
		events: manager.GetEventRecorder("site-operator"),
	}
	if err := ctrl.NewControllerManagedBy(manager).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println(replica, "leads")
	}()
	return manager.Start(ctx)
}

type sites struct {
	client.Client
	replica string
	old     record.EventRecorder
	events  events.EventRecorder
}

func (s *sites) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := s.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, s.unpublish(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := s.Update(ctx, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, s.publish(ctx, site)
}

// publish writes the page of a site, and what is so to its status.
func (s *sites) publish(ctx context.Context, site *Site) error {
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	changed, err := controllerutil.CreateOrUpdate(ctx, s.Client, page, func() error {
		page.Data = map[string]string{"title": site.Spec.Title}
		return controllerutil.SetControllerReference(site, page, s.Scheme())
	})
	if err != nil {
		return err
	}
	same := &SiteList{}
	if err := s.List(ctx, same, client.InNamespace(site.Namespace), client.MatchingFields{byTheme: site.Spec.Theme}); err != nil {
		return err
	}
	before := client.MergeFrom(site.copied())
	site.Status.Replicas = site.Spec.Replicas
	site.Status.SameTheme = int32(len(same.Items))
	meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		Reason:             "Published",
		Message:            fmt.Sprintf("%s published %q", s.replica, site.Spec.Title),
		ObservedGeneration: site.Generation,
	})
	if err := s.Status().Patch(ctx, site, before); err != nil {
		return err
	}
	if changed != controllerutil.OperationResultNone {
		s.old.Eventf(site, corev1.EventTypeNormal, "Published", "%s published it", s.replica)
		s.events.Eventf(site, page, corev1.EventTypeNormal, "Wrote", "Publish", "%s wrote the page", s.replica)
	}
	return nil
}

func (s *sites) unpublish(ctx context.Context, site *Site) error {
	if !controllerutil.RemoveFinalizer(site, finalizer) {
		return nil
	}
	fmt.Println(s.replica, "unpublished", site.Name)
	return s.Update(ctx, site)
}
