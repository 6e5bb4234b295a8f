import { createServer } from 'node:http'
import { percentile } from './report.ts'

/**
 * A receiver of webhooks that takes everything. Run as a process of its own; prints its port. To `count` it answers how many came since it
 * was asked to `take`, to `take` also how old they were when they came.
 */
export type TakenWebhooks = Readonly<{ count: number; p50: number; p95: number; p99: number; lastAt: number }>

const OCCURRED = Buffer.from('"occurredAt":"')
const ISO = 24

/** What comes here is not counted. */
const NEVER = '/never'
const SLOW = '/slow'
const SLOW_MS = 9_000

let ages: number[] = []
let lastAt = 0

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === NEVER) return
    if (request.url === SLOW) {
      setTimeout(() => response.writeHead(204).end(), SLOW_MS)
      return
    }
    response.writeHead(204).end()
    lastAt = Date.now()
    const body = Buffer.concat(chunks)
    const at = body.indexOf(OCCURRED) + OCCURRED.length
    ages.push(lastAt - Date.parse(body.toString('latin1', at, at + ISO)))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`)
})
process.stdin.on('data', (asked: Buffer) => {
  if (asked.toString().startsWith('count')) {
    process.stdout.write(`${ages.length}\n`)
    return
  }
  const taken: TakenWebhooks = {
    count: ages.length,
    p50: percentile(ages, 0.5),
    p95: percentile(ages, 0.95),
    p99: percentile(ages, 0.99),
    lastAt,
  }
  ages = []
  process.stdout.write(`${JSON.stringify(taken)}\n`)
})
process.stdin.on('end', () => process.exit(0))
