// A tour through the clients of client-go. Prints one line for each step: `ok NAME`, or `failed NAME: why`.
// Its argument is the file ../../site.yaml.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The namespace of all that the tour makes.
const namespace = "tour"

// Longer than any step takes on a busy machine.
const limit = 60 * time.Second

type tour struct {
	definition string
	config     *rest.Config
	typed      *kubernetes.Clientset
	dynamic    dynamic.Interface
	metadata   metadata.Interface
}

type step struct {
	name string
	run  func(*tour, context.Context) error
}

func main() {
	one, err := begin(os.Getenv("KUBECONFIG"), os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, next := range steps {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		if err := next.run(one, ctx); err != nil {
			fmt.Printf("failed %s: %v\n", next.name, err)
		} else {
			fmt.Println("ok", next.name)
		}
		cancel()
	}
}

func begin(kubeconfig, definition string) (*tour, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	one := &tour{definition: definition, config: config}
	if one.typed, err = kubernetes.NewForConfig(binary(config)); err != nil {
		return nil, err
	}
	if one.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	one.metadata, err = metadata.NewForConfig(config)
	return one, err
}

// binary sends protobuf in all bodies, as the clients of Kubernetes' own components do.
func binary(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.ContentType = "application/vnd.kubernetes.protobuf"
	out.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return out
}

// differs is an error when a value is not the expected one.
func differs[T comparable](name string, got, want T) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s is %v, not %v", name, got, want)
}
