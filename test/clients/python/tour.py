"""A tour through the Kubernetes client of Python. Prints one line for each step: `ok NAME`, or `failed NAME: why`.

It needs the definition of ../site.yaml.
"""

import json
import threading

from kubernetes import client, config, dynamic, watch

NAMESPACE = "default"
GROUP = {"group": "web.example.com", "version": "v1", "namespace": NAMESPACE, "plural": "sites"}


def site(name):
    return {
        "apiVersion": "web.example.com/v1",
        "kind": "Site",
        "metadata": {"name": name},
        "spec": {"title": name},
    }


def typed_objects():
    """The typed clients send bodies without a type."""
    core = client.CoreV1Api()
    page = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="page"), data={"title": "One"})
    core.create_namespaced_config_map(NAMESPACE, page)
    now = core.patch_namespaced_config_map("page", NAMESPACE, {"data": {"more": "Two"}})
    assert now.data == {"title": "One", "more": "Two"}, now.data
    core.delete_namespaced_config_map("page", NAMESPACE)
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="key"), string_data={"password": "open"})
    core.create_namespaced_secret(NAMESPACE, secret)
    assert core.read_namespaced_secret("key", NAMESPACE).data == {"password": "b3Blbg=="}


def conflicts():
    try:
        client.CoreV1Api().create_namespace({"metadata": {"name": NAMESPACE}})
    except client.ApiException as error:
        assert json.loads(error.body)["reason"] == "AlreadyExists", error.body
    else:
        raise AssertionError("a second namespace was made")


def custom_objects():
    custom = client.CustomObjectsApi()
    custom.create_namespaced_custom_object(**GROUP, body=site("one"))
    now = custom.patch_namespaced_custom_object(**GROUP, name="one", body={"spec": {"theme": "dark"}})
    assert now["spec"] == {"title": "one", "theme": "dark", "replicas": 1}, now["spec"]
    now = custom.patch_namespaced_custom_object_status(**GROUP, name="one", body={"status": {"message": "seen"}})
    assert now["status"] == {"message": "seen"}, now["status"]


def watches():
    """A watch from a list on sees what comes after it."""
    custom = client.CustomObjectsApi()
    revision = custom.list_namespaced_custom_object(**GROUP)["metadata"]["resourceVersion"]
    create = {**GROUP, "body": site("two")}
    later = threading.Timer(0.1, custom.create_namespaced_custom_object, kwargs=create)
    later.start()
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, **GROUP, resource_version=revision, timeout_seconds=30
    )
    event = next(iter(stream))
    later.join()
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "two"), event


def dynamic_client():
    api = dynamic.DynamicClient(client.ApiClient())
    sites = api.resources.get(api_version="web.example.com/v1", kind="Site")
    sites.create(body=site("three"), namespace=NAMESPACE)
    body = {"metadata": {"name": "three"}, "spec": {"theme": "dark"}}
    sites.patch(body=body, namespace=NAMESPACE, content_type="application/merge-patch+json")
    dark = sites.get(namespace=NAMESPACE, field_selector="spec.theme=dark").items
    assert [one.metadata.name for one in dark] == ["one", "three"], dark
    sites.delete(name="three", namespace=NAMESPACE)


def access_reviews():
    attributes = client.V1ResourceAttributes(namespace=NAMESPACE, verb="get", resource="secrets")
    spec = client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
    review = client.V1SelfSubjectAccessReview(spec=spec)
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed


def collections():
    client.CustomObjectsApi().delete_collection_namespaced_custom_object(**GROUP)
    left = client.CustomObjectsApi().list_namespaced_custom_object(**GROUP)["items"]
    assert left == [], left


STEPS = {
    "typed objects": typed_objects,
    "conflicts": conflicts,
    "custom objects": custom_objects,
    "watches": watches,
    "the dynamic client": dynamic_client,
    "access reviews": access_reviews,
    "collections": collections,
}

config.load_kube_config()
for name, step in STEPS.items():
    try:
        step()
    except Exception as error:  # one failed step does not keep the others from being run
        print(f"failed {name}: {error!r}")
    else:
        print(f"ok {name}")
