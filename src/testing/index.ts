/** Exports of `xsvc/testing`: a service and a control plane in the test's process, a way to wait, a plugin for vitest, and the contract of engines. */
export { startControlPlane } from './control-plane/control-plane.js';
export type { ControlPlane, ControlPlaneOptions } from './control-plane/control-plane.js';
export type { DefinitionSource } from './control-plane/definition-files.js';
export { engineContract } from './engine-contract.js';
export type { EngineTest, OpenEngine } from './engine-contract.js';
export { eventually } from './eventually.js';
export type { WaitOptions } from './eventually.js';
export type { PluginModule, TestModel, TestPlugin } from './given-plugins.js';
export { startTestService } from './service.js';
export type { TestRequest, TestService, TestServiceOptions } from './service.js';
export { vitestPlugin } from './vitest-plugin.js';
export type { VitestPlugin } from './vitest-plugin.js';
export { MemoryEngine, MemoryStore } from './memory-engine.js';
export type {
  CommitOptions,
  Engine,
  Freshness,
  KeyPlace,
  KeyRange,
  KeyValue,
  ScanOptions,
  SharedLogState,
  Snapshot,
  SpaceUse,
  Transaction,
  VisitPair,
  VisitValue,
} from '../store/engine.js';
export type { MaybePromise } from '../lib/work/maybe-promise.js';
