import { isAllowed, limitable, rulesIn, type AccessRule } from '../../access/rules.js';
import { textOf } from '../../lib/json/json.js';
import { actionIn, AUTHENTICATION, AUTHORIZATION, userInfo, type Review } from './review.js';

/** Kubernetes supported the beta version up to 1.27. */
const AUTHENTICATION_VERSIONS = ['v1', 'v1beta1'] as const;

/** Reviews of one's own rights: `kubectl auth can-i` and `kubectl auth whoami`. */
export const SELF_REVIEWS: readonly Review[] = [
  {
    ...own(AUTHORIZATION, 'v1', 'SelfSubjectAccessReview'),
    async answer({ sender: { user, rules }, getSpec }) {
      const action = actionIn('SelfSubjectAccessReview', await getSpec());
      const isWhole = isAllowed(rules, action);
      const allowed = isWhole || isAllowed(rules, limitable(action));
      const limits = allowed && !isWhole ? ' for some objects or fields' : '';
      const reason = `user "${user}" has ${allowed ? 'a' : 'no'} role that allows it${limits}`;
      return { spec: {}, status: { allowed, reason } };
    },
  },
  {
    ...own(AUTHORIZATION, 'v1', 'SelfSubjectRulesReview'),
    async answer({ sender, getSpec }) {
      const { namespace } = await getSpec();
      const place = textOf(namespace);
      return { spec: {}, status: rulesStatus(rulesIn(sender.rules, place === '' ? undefined : place)) };
    },
  },
  ...AUTHENTICATION_VERSIONS.map((version): Review => ({
    ...own(AUTHENTICATION, version, 'SelfSubjectReview'),
    answer: ({ sender }) => ({ status: { userInfo: userInfo(sender) } }),
  })),
];

function own(group: string, version: string, kind: string): Omit<Review, 'answer'> {
  return { group, version, kind, right: 'user' };
}

function rulesStatus(rules: readonly AccessRule[]): object {
  const resourceRules = rules.filter(({ resources = [] }) => resources.length > 0);
  const nonResourceRules = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0);
  return {
    incomplete: false,
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames, filter, fields }) => {
      // Kubernetes has no limits; its clients ignore them.
      return { verbs, apiGroups, resources, resourceNames, filter, fields };
    }),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
  };
}
