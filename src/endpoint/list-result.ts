import { badRequest } from '../errors.js';
import { findGvk } from '../model/declare/gvk.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { PageType } from './route.js';

/** Types of lists, for the description of endpoints. */
export const ListResult = {
  /**
   * A page of the model's objects: the result of `client.list`, and the response of such an endpoint.
   * @throws ServiceError `BadRequest` when the class is not a model
   */
  of(model: ModelClass): PageType {
    const given: unknown = model;
    if (typeof given === 'function' && findGvk(model) !== undefined) return { pageOf: model };
    const name = typeof given === 'function' ? model.name : String(given);
    throw badRequest(`ListResult.of: ${name} is not a model: it has no own @GVK`);
  },
};
