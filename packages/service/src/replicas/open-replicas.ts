import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { observe } from '@tidings/observability/metrics'
import type { Pools } from '../stores/open-pools.ts'
import { openReplicaReads, type ReplicaReads } from './replica-reads.ts'

type Opening = Readonly<{ config: Config; log: Log; pools: Pick<Pools, 'pool' | 'url'> }>

/** The replicas that are configured, watched and measured; null where there are none. */
export async function openReplicas({ config: { storage }, log, pools }: Opening): Promise<ReplicaReads | null> {
  const { readDatabaseUrls: urls, readLagSeconds: lagSeconds, poolSize } = storage
  if (urls.length === 0) return null
  const reads = await openReplicaReads({ primary: pools.pool, primaryUrl: pools.url, urls, lagSeconds, poolSize, log })
  observeReplicas(reads)
  return reads
}

function observeReplicas({ watch, answered }: ReplicaReads): void {
  const ofEach = (read: (replica: (typeof watch.replicas)[number]) => number | null) => () =>
    watch.replicas.flatMap((replica) => {
      const value = read(replica)
      return value === null ? [] : [{ labels: { replica: replica.name }, value }]
    })
  observe({
    name: 'tidings_read_replica_lag_seconds',
    help: 'How long ago the primary went beyond what the replica shows; absent where that is longer than it is measured',
    labelNames: ['replica'],
    read: ofEach(({ lagMs }) => (lagMs === null ? null : lagMs / 1_000)),
  })
  observe({
    name: 'tidings_read_replica_lag_bytes',
    help: 'WAL of the primary that the replica does not show yet',
    labelNames: ['replica'],
    read: ofEach(({ lagBytes }) => (lagBytes === null ? null : Number(lagBytes))),
  })
  observe({
    name: 'tidings_read_replica_fit',
    help: 'Whether the replica may be read',
    labelNames: ['replica'],
    read: ofEach((replica) => (watch.fit().includes(replica) ? 1 : 0)),
  })
  observe({
    name: 'tidings_reads_answered',
    help: 'Reads since the start by the server that answered them, primary or a replica; ten look-ups of keys a second are among them',
    labelNames: ['server'],
    read: () => [...answered()].map(([server, value]) => ({ labels: { server }, value })),
  })
}
