package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var (
	testEnv *envtest.Environment
	cfg     *rest.Config
	k8s     client.Client
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	addKinds(scheme.Scheme)
	code := 1
	if err := start(); err == nil {
		code = m.Run()
	} else {
		println(err.Error())
	}
	if err := testEnv.Stop(); err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

func start() (err error) {
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{os.Getenv("SITE_CRD")},
		ErrorIfCRDPathMissing: true,
	}
	if cfg, err = testEnv.Start(); err != nil {
		return err
	}
	k8s, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	return err
}

// startOperator runs the operator until the test has ended.
func startOperator(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics:                 metrics.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "site-operator",
		LeaderElectionNamespace: "default",
	})
	must(t, err)
	theme := func(one client.Object) []string { return []string{one.(*Site).Spec.Theme} }
	must(t, manager.GetFieldIndexer().IndexField(ctx, &Site{}, byTheme, theme))
	reconciler := &sites{
		Client:  manager.GetClient(),
		replica: "tested",
		//lint:ignore SA1019 the recorder that most operators use
		old:    manager.GetEventRecorderFor("site-operator"),
		events: manager.GetEventRecorder("site-operator"),
	}
	must(t, ctrl.NewControllerManagedBy(manager).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(reconciler))
	ended := make(chan error)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-ended)
	})
}

func TestOperator(t *testing.T) {
	ctx := context.Background()
	startOperator(t)
	site := &Site{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "default"},
		Spec:       SiteSpec{Title: "One"},
	}
	must(t, k8s.Create(ctx, site))
	eventually(t, func() bool {
		must(t, k8s.Get(ctx, client.ObjectKeyFromObject(site), site))
		return meta.IsStatusConditionTrue(site.Status.Conditions, "Ready")
	})
	page := &corev1.ConfigMap{}
	must(t, k8s.Get(ctx, client.ObjectKeyFromObject(site), page))
	if page.Data["title"] != "One" {
		t.Errorf("the page has the title %q", page.Data["title"])
	}
	must(t, k8s.Delete(ctx, site))
	eventually(t, func() bool { return isGone(k8s.Get(ctx, client.ObjectKeyFromObject(site), site)) })
}

func TestInvalidSite(t *testing.T) {
	site := &Site{ObjectMeta: metav1.ObjectMeta{Name: "bad", Namespace: "default"}}
	if err := k8s.Create(context.Background(), site); !apierrors.IsInvalid(err) {
		t.Errorf("a site without a title was not refused: %v", err)
	}
}

func TestNamespaceDeletion(t *testing.T) {
	ctx := context.Background()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}
	must(t, k8s.Create(ctx, namespace))
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "page", Namespace: "team"}}
	must(t, k8s.Create(ctx, page))
	must(t, k8s.Delete(ctx, namespace))
	eventually(t, func() bool { return isGone(k8s.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)) })
	if err := k8s.Get(ctx, client.ObjectKeyFromObject(page), page); !isGone(err) {
		t.Errorf("the object of a deleted namespace is there: %v", err)
	}
}

// TestUsers needs a control plane of this test alone: an existing one has no way to add users.
func TestUsers(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("there is no KUBEBUILDER_ASSETS")
	}
	ctx := context.Background()
	user, err := testEnv.AddUser(envtest.User{Name: "reader", Groups: []string{"readers"}}, nil)
	must(t, err)
	reader, err := client.New(user.Config(), client.Options{Scheme: scheme.Scheme})
	must(t, err)
	if err := reader.List(ctx, &SiteList{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user without rights was not refused: %v", err)
	}
	admin, err := testEnv.AddUser(envtest.User{Name: "boss", Groups: []string{"system:masters"}}, nil)
	must(t, err)
	kubectl, err := admin.Kubectl()
	must(t, err)
	out, _, err := kubectl.Run("get", "namespaces", "-o", "name")
	if err != nil && strings.Contains(err.Error(), "no such file") {
		t.Skip("there is no kubectl")
	}
	must(t, err)
	names := new(strings.Builder)
	buffer := make([]byte, 1024)
	for n, err := out.Read(buffer); err == nil; n, err = out.Read(buffer) {
		names.Write(buffer[:n])
	}
	if !strings.Contains(names.String(), "namespace/kube-system\n") {
		t.Errorf("kubectl printed %q", names)
	}
}

func isGone(err error) bool { return apierrors.IsNotFound(err) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatal("the condition was not met")
}
