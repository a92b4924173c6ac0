import type { ServedKind } from '../platform/discovery.js';
import { pluralOf, reviewEndpoint } from './review.js';
import { SELF_REVIEWS } from './self-reviews.js';
import { SUBJECT_REVIEWS } from './subject-reviews.js';

const ALL = [...SELF_REVIEWS, ...SUBJECT_REVIEWS];

export const REVIEWS = ALL.map(reviewEndpoint);

/** The kinds of reviews as discovery shows them, by plural as in Kubernetes. */
export const REVIEW_KINDS: readonly ServedKind[] = ALL.map(({ group, version, kind, scope }): ServedKind => ({
  group,
  version,
  kind,
  plural: pluralOf({ kind }),
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  storageVersion: version,
  use: 'create',
  ...(scope && { scope }),
})).sort((a, b) => (a.plural < b.plural ? -1 : 1));
