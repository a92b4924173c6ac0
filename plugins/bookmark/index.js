/**
 * Bookmarks: a plugin in plain JavaScript. The decorators of the other examples are replaced by a static
 * `schema` (JSON Schema, so any library that writes it will do) and by calling `GVK` as a function.
 *
 *   xsvc list bookmarks --field-selector 'spec.tags=reference' --sort spec.title
 */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs, Queries, RouteBuilder } from 'xsvc';

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
    return RouteBuilder.route()
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

  async links(tag) {
    const { items } = await this.ctx.client.list(Bookmark, {
      query: Queries.equal('spec.tags', tag),
      sort: 'spec.title',
    });
    return items.map(({ spec }) => ({ title: spec.title, url: spec.url }));
  }
}
