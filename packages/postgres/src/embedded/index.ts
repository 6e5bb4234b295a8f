export { type ClusterPlace, type RunningCluster, startCluster } from './cluster.ts'
