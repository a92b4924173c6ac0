"""An operator of kopf for the kind of ../site.yaml: it prints what it is called for."""

import kopf

SITES = ("web.example.com", "v1", "sites")


@kopf.on.create(*SITES)
def created(name, spec, patch, **_):
    print(f"created {name}", flush=True)
    patch.status["message"] = spec["title"]


@kopf.on.update(*SITES, field="spec.title")
def retitled(name, old, new, patch, body, **_):
    print(f"updated {name} from {old} to {new}", flush=True)
    patch.status["message"] = f"was {old}"
    kopf.info(body, reason="Retitled", message=f"was {old}")


@kopf.on.delete(*SITES)
def deleted(name, **_):
    print(f"deleted {name}", flush=True)
