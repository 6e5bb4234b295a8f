export { type RunningCluster, startCluster } from './cluster.ts'
export { endServerOf } from './launch.ts'
export { findRunning, startEmbedded } from './start-embedded.ts'
