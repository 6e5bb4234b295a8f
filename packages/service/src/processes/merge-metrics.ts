import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** What one process shows, as data. */
export type ShownMetrics = readonly MetricObjectWithValues<MetricValue<string>>[]

/** Gauges that count what each process has; any other says something of the installation, and the processes show it alike. */
const SUMMED = new Set([
  'process_resident_memory_bytes',
  'nodejs_heap_used_bytes',
  'process_cpu_seconds_total',
  'tidings_projection_owned',
  'tidings_consumer_lag_events',
  'tidings_relay_leader',
  'tidings_relay_published',
  'tidings_pool_connections',
  'tidings_cache_requests',
  'tidings_write_waiting',
  'tidings_webhook_running',
  'tidings_reads_answered',
])

/** Gauges that only rise while their process lives. */
const RISING = new Set(['process_cpu_seconds_total', 'tidings_relay_published', 'tidings_cache_requests', 'tidings_reads_answered'])

/** The library names the types by a number in its types, and by a word in its values. */
const isGauge = ({ type }: ShownMetrics[number]): boolean => String(type) === 'gauge'

const merged = (shown: readonly ShownMetrics[]) =>
  AggregatorRegistry.aggregate(
    shown.map((metrics) =>
      metrics.map((metric) => ({ ...metric, aggregator: isGauge(metric) && !SUMMED.has(metric.name) ? 'max' : 'sum' }) as const),
    ),
  )

/** One page of several processes: counters and histograms are summed, gauges by `SUMMED`, else the highest. */
export function mergeMetrics(shown: readonly ShownMetrics[]): Promise<string> {
  return merged(shown).metrics()
}

/** What stays of processes that have ended: a sum that fell would be read as a restart, and counted once more. */
export async function keepCounts(shown: readonly ShownMetrics[]): Promise<ShownMetrics> {
  return (await merged(shown).getMetricsAsJSON()).filter((metric) => !isGauge(metric) || RISING.has(metric.name))
}
