import {
  ApiVersion,
  DeleteMapping,
  GetMapping,
  ListResult,
  PutMapping,
  Queries,
  RequestMapping,
  RouteBuilder,
  Schema,
  SortableRequest,
  type CustomEndpoint,
  type EndpointRequest,
  type PluginContext,
  type RouteSet,
} from 'xsvc';
import { Package } from './package.js';

export class PackageQuery extends SortableRequest {
  @Schema({ type: 'string', description: 'Part of the name', example: 'lib' })
  keyword?: string;
}

@Schema({ name: 'SectionStatistics' })
export class SectionStatistics {
  @Schema({ type: 'string', requiredMode: 'REQUIRED', example: 'editors' })
  section!: string;

  @Schema({ type: 'integer', requiredMode: 'REQUIRED' })
  packages!: number;

  @Schema({
    type: 'integer',
    format: 'int64',
    requiredMode: 'REQUIRED',
    description: 'KiB of all packages together',
  })
  installedSize!: number;
}

@Schema({ name: 'CatalogueStatistics' })
export class CatalogueStatistics {
  @Schema({ type: 'array', items: { type: SectionStatistics }, requiredMode: 'REQUIRED' })
  sections!: SectionStatistics[];
}

/** For the people who look after the catalogue. */
export class CatalogueConsole implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}

  groupVersion(): string {
    return 'console.api.catalogue.example.com/v1alpha1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/packages',
        (req) => this.search(PackageQuery.from(req)),
        (d) =>
          d
            .operationId('SearchPackages')
            .description('Packages whose name has the keyword')
            .tag('PackageV1alpha1Console')
            .parameters(PackageQuery)
            .response(ListResult.of(Package)),
      )
      .GET(
        '/statistics/sections',
        () => this.statistics(),
        (d) =>
          d
            .operationId('GetSectionStatistics')
            .description('Number and size of the packages in each section, the largest section first')
            .tag('PackageV1alpha1Console')
            .response(CatalogueStatistics),
      )
      .build();
  }

  private search(asked: PackageQuery): Promise<ListResult<Package>> {
    const { keyword } = asked;
    const query = keyword === undefined ? Queries.empty() : Queries.contains('spec.packageName', keyword);
    return this.ctx.client.list(Package, { ...asked.toListOptions(), query });
  }

  private async statistics(): Promise<CatalogueStatistics> {
    const sections = new Map<string, SectionStatistics>();
    // One after another, so that a large catalogue is never in memory as a whole.
    for await (const { spec } of this.ctx.client.listAll(Package)) {
      const section = spec.section ?? 'none';
      const sum = sections.get(section) ?? { section, packages: 0, installedSize: 0 };
      sum.packages += 1;
      sum.installedSize += spec.installedSize ?? 0;
      sections.set(section, sum);
    }
    return { sections: [...sections.values()].sort((a, b) => b.packages - a.packages) };
  }
}

/** The label of packages that somebody likes: they are found by `-l catalogue.example.com/favourite`. */
export const FAVOURITE = 'catalogue.example.com/favourite';

/** An annotated controller, for who uses the catalogue: marks packages as favourites. */
@ApiVersion('uc.api.catalogue.example.com/v1alpha1')
@RequestMapping('/packages/{name}/favourite')
export class Favourites {
  constructor(private readonly ctx: PluginContext) {}

  @PutMapping((d) =>
    d.operationId('AddFavourite').description('Marks a package').tag('PackageV1alpha1Uc').response(Package),
  )
  add(req: EndpointRequest): Promise<Package> {
    return this.mark(req, 'true');
  }

  @DeleteMapping((d) =>
    d
      .operationId('RemoveFavourite')
      .description('Takes the mark away')
      .tag('PackageV1alpha1Uc')
      .response(Package),
  )
  remove(req: EndpointRequest): Promise<Package> {
    return this.mark(req, null);
  }

  private mark({ params }: EndpointRequest, value: string | null): Promise<Package> {
    return this.ctx.client.patch(Package, params.name ?? '', {
      metadata: { labels: { [FAVOURITE]: value } },
    });
  }
}

@Schema({ name: 'PackageNames' })
export class PackageNames {
  @Schema({ type: 'array', items: { type: 'string' }, requiredMode: 'REQUIRED' })
  packages!: string[];
}

/** For everybody: what a package is needed by. */
@ApiVersion('api.catalogue.example.com/v1alpha1')
export class Dependents {
  constructor(private readonly ctx: PluginContext) {}

  @GetMapping('/packages/{name}/dependents', (d) =>
    d
      .operationId('ListDependents')
      .description('Names of the packages that need this one')
      .tag('PackageV1alpha1Public')
      .response(PackageNames),
  )
  async list({ params }: EndpointRequest): Promise<PackageNames> {
    const { spec } = await this.ctx.client.get(Package, params.name ?? '');
    const query = Queries.equal('spec.depends', spec.packageName);
    return { packages: await this.ctx.client.listNames(Package, { query }) };
  }
}
