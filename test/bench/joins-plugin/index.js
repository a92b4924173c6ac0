/** The models of test/bench/joins.mjs. */
import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';

const GROUP = { group: 'joins.example.com', version: 'v1alpha1' };
const text = { type: 'string' };
const integer = { type: 'integer', format: 'int32' };

function specOf(properties) {
  return { type: 'object', required: ['spec'], properties: { spec: { type: 'object', properties } } };
}

class Team extends AbstractExtension {
  static schema = specOf({ tier: text, size: integer });
}
GVK({ ...GROUP, kind: 'Team', plural: 'teams', singular: 'team' })(Team);

class Service extends AbstractExtension {
  static schema = specOf({
    team: { type: 'string', 'x-xsvc-reference': { group: GROUP.group, kind: 'Team', onDelete: 'restrict' } },
    state: text,
    cost: integer,
    title: text,
  });
}
GVK({ ...GROUP, kind: 'Service', plural: 'services', singular: 'service' })(Service);

export default class JoinsPlugin extends BasePlugin {
  start() {
    const { schemeManager } = this.ctx;
    schemeManager.register(Team, (specs) => {
      specs.add(IndexSpecs.single('spec.tier', 'string').indexFunc(({ spec }) => spec.tier));
      specs.add(IndexSpecs.single('spec.size', 'integer').indexFunc(({ spec }) => spec.size));
    });
    schemeManager.register(Service, (specs) => {
      specs.add(IndexSpecs.single('spec.state', 'string').indexFunc(({ spec }) => spec.state));
      specs.add(IndexSpecs.single('spec.cost', 'integer').indexFunc(({ spec }) => spec.cost));
    });
  }
}
