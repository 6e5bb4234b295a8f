import { createCaller, createOriginGuard } from '@tidings/outbound-http'
import { lineOf } from './anchored-line.ts'
import { type Anchor, AnchorRefused } from './port.ts'

const TIMEOUT_MS = 10_000
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Posts each head as JSON. 2xx: kept. 409: the server holds a history that this one does not continue. Any other answer is tried again. */
export function httpsAnchor(url: string): Anchor {
  const { origin } = new URL(url)
  const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: TIMEOUT_MS, connections: 1 })
  return {
    keep: async (head) => {
      const { status } = await caller.post({ scope: 'anchor', lane: 'anchor', url, headers: JSON_HEADERS, body: Buffer.from(lineOf(head)) })
      if (status === 409)
        throw new AnchorRefused(`The anchor at ${origin} refuses the tree head of ${head.statement.size} events: it holds another.`)
      if (status < 200 || status > 299) throw new Error(`The anchor at ${origin} answered ${status}.`)
    },
    close: caller.close,
  }
}
