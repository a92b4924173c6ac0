// `npm test` runs all *.test and *.spec files, in JavaScript and TypeScript, and fails when there are none.
import { vitestPlugin } from 'xsvc/testing';

export default { plugins: [vitestPlugin()] };
