import type { Log } from '@tidings/observability/log'

/**
 * What Node.js itself would write as plain text among the JSON lines of a service: its warnings (a deprecated call, too many listeners), and the error that ends
 * the process because nothing handles it.
 */
export function logRuntime(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js warns'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nothing handles ends the process')
    process.exit(1)
  })
}
