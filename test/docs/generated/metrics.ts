import { readFileSync } from 'node:fs'
import { ROOT, table } from '../markdown.ts'

const FILES = [
  'packages/http/src/metrics.ts',
  'packages/service/src/metrics/metrics.ts',
  'packages/service/src/metrics/webhook-metrics.ts',
  'packages/service/src/metrics/wallet-metrics.ts',
  'packages/service/src/metrics/activity-metrics.ts',
  'packages/service/src/metrics/flow-metrics.ts',
  'packages/service/src/metrics/list-metrics.ts',
  'packages/service/src/metrics/campaign-metrics.ts',
  'packages/service/src/metrics/proof-metrics.ts',
  'packages/service/src/metrics/erasure-metrics.ts',
  'packages/service/src/metrics/retention-metrics.ts',
  'packages/service/src/processes/supervisor-metrics.ts',
]
const BY_CALL = /\b(?:gauge|figureGauge)\(\s*'(\w+)',\s*'([^']*)'/g
const BY_OPTIONS = /name: '(\w+)',\s*help: '([^']*)'(?:,\s*labelNames: (\[[^\]]*\]))?/g

/** Every metric with what its own help text says. */
export function metrics(): string {
  const rows = FILES.flatMap((file) => {
    const source = readFileSync(`${ROOT}${file}`, 'utf8')
    return [...source.matchAll(BY_OPTIONS), ...source.matchAll(BY_CALL)].map(([, name, help]) => [`\`${name}\``, help ?? ''])
  })
  return table(['metric', 'is'], rows)
}
