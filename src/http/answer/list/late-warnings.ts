import type { ServerResponse } from 'node:http';
import type { SkippedObjects } from '../../../service/read/skipped-objects.js';
import { addWarnings, warningHeaders } from '../respond.js';

/** Warnings about objects that a list leaves out: those found when its head has gone out come as a trailer. */
export class LateWarnings {
  private told = 0;

  /** @param unshown undefined where no object can be left out */
  constructor(
    private readonly res: ServerResponse,
    private readonly unshown: SkippedObjects | undefined,
  ) {}

  /** All are known, and the head has not gone out. */
  asHeaders(): void {
    addWarnings(this.res, this.unshown?.warnings() ?? []);
  }

  /** The head goes out now, and more may be found. */
  beforeHead(): void {
    if (this.unshown === undefined) return;
    addWarnings(this.res, this.unshown.named());
    this.told = this.unshown.named().length;
    this.res.setHeader('Trailer', 'Warning');
  }

  /** The end goes out now. */
  atEnd(): void {
    const { Warning: texts } = warningHeaders(this.unshown?.warnings(this.told) ?? []);
    if (Array.isArray(texts)) this.res.addTrailers(texts.map((text) => ['Warning', text] as const));
  }
}
