export { type RunningCluster, startCluster } from './cluster.ts'
export { endServerOf } from './launch.ts'
export { embeddedConnections } from './settings.ts'
export { findRunning, startEmbedded } from './start-embedded.ts'
