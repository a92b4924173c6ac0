/**
 * The bill of materials (CycloneDX): the packages that an installation has, and those that are in the bundles of the program and the console.
 * Addresses of the registry that the build used are left out; `purl` and the hashes identify a package.
 * @param run runs a command and returns its output
 * @param licenses dist/bundle/licenses.txt and dist/console/licenses.txt
 */
export function billOfMaterials(run, licenses, name) {
  const read = (...flags) => JSON.parse(run('npm', 'sbom', '--sbom-format=cyclonedx', ...flags));
  const bill = read('--omit=dev');
  const installed = new Set(bill.components.map((component) => component['bom-ref']));
  const inBundles = new Set(
    [...licenses.matchAll(/^((?:@[^\s/]+\/)?[^\s/]+) (\d\S*) \(.+\)$/gm)].map(
      ([, of, version]) => `${of}@${version}`,
    ),
  );
  const bundled = read().components.filter((component) => {
    const ref = component['bom-ref'];
    return inBundles.has(ref) && !installed.has(ref);
  });
  const components = [...bill.components, ...bundled.map(asRequired)].map(withoutRegistry);
  // npm takes the name of the directory.
  const component = { ...withoutRegistry(bill.metadata.component), name };
  return { ...bill, metadata: { ...bill.metadata, component }, components };
}

/** A package of the bundle is part of what runs, though npm installs it only for development. */
function asRequired(component) {
  const properties = component.properties?.filter(
    (property) => property.name !== 'cdx:npm:package:development',
  );
  return { ...component, scope: 'required', properties };
}

function withoutRegistry(component) {
  const references = component.externalReferences?.filter(({ type }) => type !== 'distribution');
  return { ...component, externalReferences: references };
}
