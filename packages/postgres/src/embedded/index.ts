export { type ClusterPlace, type RunningCluster, startCluster } from './cluster.ts'
export { endServerOf } from './launch.ts'
export { type Embedded, type EmbeddedSettings, type EmbeddedUse, findRunning, startEmbedded } from './start-embedded.ts'
export type { ServerLog } from './supervise.ts'
