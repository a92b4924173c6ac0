import type { ServerResponse } from 'node:http';
import type { SkippedObjects } from '../../../service/read/skipped-objects.js';
import { addWarnings, warningHeaders } from '../respond.js';

/** Warnings about objects that a list leaves out. Those found after the head was sent are sent as a trailer. */
export class LateWarnings {
  #reported = 0;

  /** @param unshown undefined when no object can be left out */
  constructor(
    private readonly res: ServerResponse,
    private readonly unshown: SkippedObjects | undefined,
  ) {}

  /** Sends all warnings as headers; for a complete list whose head was not sent yet. */
  asHeaders(): void {
    addWarnings(this.res, this.unshown?.warnings() ?? []);
  }

  /** Sends the present warnings as headers, and announces a trailer for later ones. */
  beforeHead(): void {
    if (this.unshown === undefined) return;
    addWarnings(this.res, this.unshown.named());
    this.#reported = this.unshown.named().length;
    this.res.setHeader('Trailer', 'Warning');
  }

  /** Sends the later warnings as a trailer. */
  atEnd(): void {
    const { Warning: texts } = warningHeaders(this.unshown?.warnings(this.#reported) ?? []);
    if (Array.isArray(texts)) this.res.addTrailers(texts.map((text) => ['Warning', text] as const));
  }
}
