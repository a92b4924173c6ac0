import {
  isDeleted,
  type Controller,
  type ControllerBuilder,
  type PluginContext,
  type Reconciler,
  type Request,
} from 'xsvc';
import { __Kind__ } from './__file__.js';

/** Keeps `status` true. It gets only a name and reads the current object, so a repeated call does no harm. */
export class __Kind__Reconciler implements Reconciler {
  constructor(private readonly ctx: PluginContext) {}

  setupWith(builder: ControllerBuilder): Controller {
    return builder.extension(__Kind__).build();
  }

  async reconcile({ name }: Request): Promise<void> {
    const found = await this.ctx.client.fetch(__Kind__, name);
    if (found === undefined || isDeleted(found)) return;
    const words = (found.spec.text ?? '').split(/\s+/).filter((word) => word !== '').length;
    if (found.status?.phase === 'Ready' && found.status.words === words) return;
    found.status = { phase: 'Ready', words };
    // If the object was changed since, this is a conflict, and reconcile runs again on the new state.
    await this.ctx.client.updateStatus(found);
  }
}
