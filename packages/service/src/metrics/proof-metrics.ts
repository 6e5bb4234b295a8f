import { metrics } from '@tidings/http'
import { Gauge } from 'prom-client'

const fault = new Gauge({
  name: 'tidings_log_proof_fault',
  help: 'Whether the tree over the log cannot be continued, signed or anchored; in the process that keeps it. The log line says why',
  registers: [metrics],
})

export function showProofFault(isFaulty: boolean): void {
  fault.set(isFaulty ? 1 : 0)
}
