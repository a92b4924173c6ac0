/** The exports of `import … from 'xsvc/testing'` for tests: a service in the test's process, and a function to wait. */
export { eventually } from './eventually.js';
export type { WaitOptions } from './eventually.js';
export type { PluginModule, TestModel, TestPlugin } from './given-plugins.js';
export { startTestService } from './service.js';
export type { TestRequest, TestService, TestServiceOptions } from './service.js';
