import { dropTimerWarning } from '@tidings/observability/quiet-timer'
import { Kafka, logLevel } from 'kafkajs'

/** Whether the broker at this address is the one of that cluster, and leads every partition it has. */
export async function isReady(address: string, clusterId: string | null): Promise<boolean> {
  const timeouts = { connectionTimeout: 1_000, requestTimeout: 2_000, retry: { retries: 0, initialRetryTime: 50, maxRetryTime: 50 } }
  dropTimerWarning()
  const admin = new Kafka({ clientId: 'probe', brokers: [address], logLevel: logLevel.NOTHING, ...timeouts }).admin()
  try {
    await admin.connect()
    const cluster = await admin.describeCluster()
    // A broker of somebody else that drew our port would answer as well.
    if (clusterId !== null && cluster.clusterId !== clusterId) return false
    if (cluster.brokers.length === 0 || cluster.controller === null) return false
    // A broker answers before it leads its partitions after a restart.
    for (const topic of await admin.listTopics()) await admin.fetchTopicOffsets(topic)
    return true
  } catch {
    return false
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}
