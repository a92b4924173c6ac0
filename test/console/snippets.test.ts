import { describe, expect, it } from 'vitest';
import { getSnippets } from '../../src/console/lib/snippets.js';

const products = {
  server: 'http://127.0.0.1:8090',
  path: '/apis/shop.example.com/v1/products',
  model: 'products.v1.shop.example.com',
};

describe('the requests for a list', () => {
  const parameters = new URLSearchParams([
    ['filter', 'spec.state == "draft"'],
    ['filter', `lower(spec.title).contains("it's")`],
    ['sort', 'spec.price,desc'],
    ['size', '50'],
  ]);
  const { curl, client, watch } = getSnippets({ ...products, parameters });

  it('are a command that a shell takes as it is', () => {
    expect(curl).toContain(`'${products.server}${products.path}?${parameters.toString()}'`);
    expect(getSnippets({ ...products, path: `/a'b` }).curl).toContain(`'http://127.0.0.1:8090/a'\\''b'`);
  });

  it('are a call of the client with the same parameters', () => {
    expect(client).toContain(`client.model('products.v1.shop.example.com').list({`);
    expect(client).toContain(
      `  filter: ['spec.state == "draft"', 'lower(spec.title).contains("it\\'s")'],\n  sort: 'spec.price,desc',\n  size: 50,`,
    );
  });

  it('are a watch of the conditions alone', () => {
    expect(watch).toContain('.watch({\n  filter:');
    expect(watch).not.toContain('sort');
  });
});

it('the requests for an object name it, whatever its name is', () => {
  const { curl, client, watch } = getSnippets({ ...products, name: 'a/b' });
  expect(curl).toContain('/products/a%2Fb');
  expect(client).toContain(`.get('a/b')`);
  expect(watch).toContain(`fieldSelector: 'metadata.name=a/b'`);
});
