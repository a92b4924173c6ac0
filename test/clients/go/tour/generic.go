package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// testEnvironment installs the definition as the tests of operators do.
func testEnvironment(t *tour, _ context.Context) error {
	if err := os.Setenv("USE_EXISTING_CLUSTER", "true"); err != nil {
		return err
	}
	environment := envtest.Environment{
		Config:                t.config,
		CRDDirectoryPaths:     []string{t.definition},
		ErrorIfCRDPathMissing: true,
	}
	if _, err := environment.Start(); err != nil {
		return err
	}
	return environment.Stop()
}

// informer begins with a WatchList, and sees a later change.
func informer(t *tour, ctx context.Context) error {
	seen := &requests{}
	config := binary(t.config)
	config.Wrap(seen.before)
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace(namespace))
	maps := factory.Core().V1().ConfigMaps()
	changed := make(chan string, 100)
	_, err = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, now any) { changed <- now.(*corev1.ConfigMap).Data["title"] },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), maps.Informer().HasSynced) {
		return fmt.Errorf("the cache never had all objects")
	}
	if err := differs("the number of lists", seen.lists.Load(), 0); err != nil {
		return err
	}
	page, err := maps.Lister().ConfigMaps(namespace).Get("page")
	if err != nil {
		return err
	}
	page = page.DeepCopy()
	page.Data["title"] = "Watched"
	if _, err := typed.CoreV1().ConfigMaps(namespace).Update(ctx, page, update); err != nil {
		return err
	}
	for {
		select {
		case title := <-changed:
			if title == "Watched" {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("the change was never seen")
		}
	}
}

// requests counts lists: an informer that cannot begin with a watch falls back to them.
type requests struct {
	next  http.RoundTripper
	lists atomic.Int32
}

func (r *requests) before(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

func (r *requests) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet && !request.URL.Query().Has("watch") {
		r.lists.Add(1)
	}
	return r.next.RoundTrip(request)
}

func site(name, theme string) *unstructured.Unstructured {
	one := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"title": name, "theme": theme}}}
	one.SetGroupVersionKind(siteKind)
	one.SetName(name)
	return one
}

func dynamicClient(t *tour, ctx context.Context) error {
	client := t.dynamic.Resource(siteResource).Namespace(namespace)
	watcher, err := client.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for name, theme := range map[string]string{"red": "dark", "white": "light"} {
		if _, err := client.Create(ctx, site(name, theme), create); err != nil {
			return err
		}
		if event := <-watcher.ResultChan(); event.Type != watch.Added {
			return fmt.Errorf("the watch says %s", event.Type)
		}
	}
	list, err := client.List(ctx, metav1.ListOptions{FieldSelector: "spec.theme=dark"})
	if err != nil {
		return err
	}
	if err := differs("the number of dark sites", len(list.Items), 1); err != nil {
		return err
	}
	return dynamicStatus(client, ctx)
}

func dynamicStatus(client dynamic.ResourceInterface, ctx context.Context) error {
	body := []byte(`{"spec": {"title": "ignored"}, "status": {"message": "there"}}`)
	now, err := client.Patch(ctx, "red", types.MergePatchType, body, metav1.PatchOptions{}, "status")
	if err != nil {
		return err
	}
	message, _, _ := unstructured.NestedString(now.Object, "status", "message")
	title, _, _ := unstructured.NestedString(now.Object, "spec", "title")
	return differs("the status and the title", message+" "+title, "there red")
}

func metadataClient(t *tour, ctx context.Context) error {
	one, err := t.metadata.Resource(siteResource).Namespace(namespace).Get(ctx, "red", get)
	if err != nil {
		return err
	}
	if err := differs("the name of one", one.Name, "red"); err != nil {
		return err
	}
	list, err := t.metadata.Resource(siteResource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return differs("the number of all", len(list.Items), 2)
}

func scaleClient(t *tour, ctx context.Context) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(t.typed.Discovery()))
	kinds := scale.NewDiscoveryScaleKindResolver(t.typed.Discovery())
	client, err := scale.NewForConfig(t.config, mapper, dynamic.LegacyAPIPathResolverFunc, kinds)
	if err != nil {
		return err
	}
	now, err := client.Scales(namespace).Get(ctx, siteResource.GroupResource(), "red", get)
	if err != nil {
		return err
	}
	now.Spec.Replicas = 5
	if _, err := client.Scales(namespace).Update(ctx, siteResource.GroupResource(), now, update); err != nil {
		return err
	}
	found, err := t.dynamic.Resource(siteResource).Namespace(namespace).Get(ctx, "red", get)
	if err != nil {
		return err
	}
	replicas, _, _ := unstructured.NestedInt64(found.Object, "spec", "replicas")
	return differs("the replicas", replicas, 5)
}

func discoverKinds(t *tour, _ context.Context) error {
	if _, err := t.typed.Discovery().ServerVersion(); err != nil {
		return err
	}
	// With aggregation, this is two requests.
	_, lists, err := t.typed.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	mapped := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch", "deletecollection"}}, lists)
	kinds, err := discovery.GroupVersionResources(mapped)
	if err != nil {
		return err
	}
	for _, resource := range []schema.GroupVersionResource{siteResource, corev1.SchemeGroupVersion.WithResource("secrets")} {
		if _, ok := kinds[resource]; !ok {
			return fmt.Errorf("%s is not in discovery", resource.Resource)
		}
	}
	return nil
}

func deleteNamespace(t *tour, ctx context.Context) error {
	client := t.typed.CoreV1().Namespaces()
	watcher, err := client.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: namespace}))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err := client.Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	for event := range watcher.ResultChan() {
		if event.Type == watch.Deleted {
			list, err := t.dynamic.Resource(siteResource).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			return differs("the number of sites that are left", len(list.Items), 0)
		}
	}
	return fmt.Errorf("the namespace was never deleted")
}
