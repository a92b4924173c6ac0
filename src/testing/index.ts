/** What `import … from 'xsvc/testing'` gives to tests: a service in the test's process, and a way to wait. */
export { eventually } from './eventually.js';
export type { WaitOptions } from './eventually.js';
export type { PluginModule, TestModel, TestPlugin } from './given-plugins.js';
export { startTestService } from './service.js';
export type { TestRequest, TestService, TestServiceOptions } from './service.js';
