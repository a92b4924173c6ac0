import type { TestService } from '../../../src/testing/index.js';
import type { DescribedParameter, DocumentValue, Operation } from '../../openapi/helpers.js';

/**
 * Of the OpenAPI description each operation, each of its parameters, and each schema with its members; besides, the paths
 * that are there without variables, and the documents.
 */
export async function httpFacts(service: TestService): Promise<string[]> {
  const read = async (target: string): Promise<unknown> => (await service.fetch(target)).json();
  const document = (await read('/v3/api-docs')) as DocumentValue;
  const { paths } = (await read('/')) as { paths: readonly string[] };
  const { urls } = (await read('/v3/api-docs/swagger-config')) as {
    urls: readonly { readonly url: string; readonly name: string }[];
  };
  return [
    ...operationFacts(document),
    ...schemaFacts(document),
    ...paths.map((path) => `served ${path}`),
    ...urls.map(({ url, name }) => `document ${url}: ${name}`),
  ];
}

function operationFacts({ paths, components }: DocumentValue): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const called = `${path} ${method.toUpperCase()}`;
      const parameters = parametersOf(operation, components.parameters);
      return [
        `${called} (${operation.operationId})`,
        ...parameters.map(
          ({ in: place, name, required = false }) =>
            `${called} ${place} ${name}${required ? ', required' : ''}`,
        ),
      ];
    }),
  );
}

function parametersOf(
  { parameters = [] }: Operation,
  shared: DocumentValue['components']['parameters'],
): DescribedParameter[] {
  return parameters.map((parameter) => {
    const name = /^#\/components\/parameters\/(\w+)$/.exec(String(parameter.$ref))?.[1];
    const found = name === undefined ? (parameter as unknown as DescribedParameter) : shared[name];
    if (found === undefined) throw new Error(`there is no parameter ${String(name)}`);
    return found;
  });
}

function schemaFacts({ components: { schemas } }: DocumentValue): string[] {
  return Object.entries(schemas).flatMap(([name, { properties }]) => [
    `schema ${name}`,
    ...Object.keys(properties ?? {}).map((member) => `schema ${name}.${member}`),
  ]);
}
