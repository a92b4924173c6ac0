/**
 * Bookmarks: a plugin in plain JavaScript. The decorators of the other examples are replaced by a static
 * `schema` (JSON Schema, so any library that writes it will do) and by calling `GVK` as a function.
 *
 *   xsvc list bookmarks --field-selector 'spec.tags=reference' --sort spec.title
 *   xsvc get bookmarks --search 'schema of json'
 *   xsvc get bookmarks --filter 'ref(spec.seeAlso).spec.title == "JSON"' --expand spec.seeAlso -o yaml
 *   xsvc get bookmarks --aggregate count --group-by spec.tags -o yaml
 *
 * `extensions/webhooks.yaml` declares a webhook, which sends the bookmarks of a shelf to another program once it is enabled.
 */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs, Queries, RouteBuilder, ServiceError } from 'xsvc';

export class Bookmark extends AbstractExtension {
  static schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['url'],
        properties: {
          url: { type: 'string', format: 'uri' },
          title: { type: 'string', maxLength: 200 },
          notes: { type: 'string', maxLength: 10_000 },
          seeAlso: {
            type: 'string',
            'x-xsvc-reference': { group: 'bookmark.example.com', kind: 'Bookmark', onDelete: 'clear' },
          },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  };

  static columns = [
    { name: 'Title', jsonPath: '.spec.title', type: 'string' },
    { name: 'URL', jsonPath: '.spec.url', type: 'string' },
  ];
}

GVK({
  group: 'bookmark.example.com',
  version: 'v1alpha1',
  kind: 'Bookmark',
  plural: 'bookmarks',
  singular: 'bookmark',
  shortNames: ['bm'],
})(Bookmark);

export default class BookmarkPlugin extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Bookmark, (specs) => {
      specs.add(IndexSpecs.single('spec.url', 'string').indexFunc((b) => b.spec.url));
      specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((b) => b.spec.title));
      specs.add(IndexSpecs.multi('spec.tags', 'string').indexFunc((b) => b.spec.tags ?? []));
      // The words that `search` finds.
      specs.add(IndexSpecs.text('search').indexFunc((b) => [b.spec.title, b.spec.notes]));
    });
  }
}

/** A public endpoint: `GET /apis/api.bookmark.example.com/v1alpha1/tags/reference`. */
export class BookmarksByTag {
  constructor(ctx) {
    this.ctx = ctx;
  }

  groupVersion() {
    return 'api.bookmark.example.com/v1alpha1';
  }

  endpoint() {
    const links = {
      type: 'array',
      items: { type: 'object', properties: { title: { type: 'string' }, url: { type: 'string' } } },
    };
    const counts = { type: 'object', additionalProperties: { type: 'integer' } };
    return RouteBuilder.route()
      .GET(
        '/tags',
        () => this.tags(),
        (d) =>
          d
            .operationId('CountBookmarksByTag')
            .description('Number of bookmarks with each tag, the most frequent tag first')
            .tag('BookmarkV1alpha1Public')
            .response(counts),
      )
      .GET(
        '/tags/{tag}',
        (req) => this.links(req.params.tag),
        (d) =>
          d
            .operationId('ListBookmarksByTag')
            .description('Links with a tag')
            .tag('BookmarkV1alpha1Public')
            .response(links),
      )
      .build();
  }

  async tags() {
    const { groups } = await this.ctx.client.list(Bookmark, {
      aggregates: 'count',
      groupBy: 'spec.tags',
      filter: 'has(spec.tags)',
      size: 1,
    });
    return Object.fromEntries(groups.map(({ key, count }) => [key['spec.tags'], count]));
  }

  async links(tag) {
    const { items } = await this.ctx.client.list(Bookmark, {
      query: Queries.equal('spec.tags', tag),
      sort: 'spec.title',
    });
    return items.map(({ spec }) => ({ title: spec.title, url: spec.url }));
  }
}

/** For who is signed in: `PUT /apis/uc.api.bookmark.example.com/v1alpha1/bookmarks/json-schema/later` with `{"days": 30}`. */
export class ReadLater {
  constructor(ctx) {
    this.ctx = ctx;
  }

  groupVersion() {
    return 'uc.api.bookmark.example.com/v1alpha1';
  }

  endpoint() {
    const form = {
      type: 'object',
      required: ['days'],
      properties: { days: { type: 'integer', minimum: 1, maximum: 365 } },
    };
    return RouteBuilder.route()
      .PUT(
        '/bookmarks/{name}/later',
        ({ params, body }) => this.keep(params.name, body.days),
        (d) =>
          d
            .operationId('ReadBookmarkLater')
            .description('Keeps a bookmark for some days; then the service deletes it')
            .tag('BookmarkV1alpha1Uc')
            .requestBody(form)
            .response(Bookmark),
      )
      .build();
  }

  keep(name, days) {
    if (!(days >= 1 && days <= 365)) throw new ServiceError('BadRequest', 'days must be from 1 to 365');
    const end = new Date(Date.now() + days * 86_400_000).toISOString();
    return this.ctx.client.patch(Bookmark, name, {
      metadata: { annotations: { 'xsvc.platform.run/expires-at': end } },
    });
  }
}
