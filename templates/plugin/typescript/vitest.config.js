// For tests in TypeScript, with vitest; `npm test` runs those in test/ and needs none of it.
import { vitestPlugin } from 'xsvc/testing';

export default { plugins: [vitestPlugin()], test: { include: ['**/*.spec.ts'] } };
