import type { onRequestHookHandler } from 'fastify'
import { limitKeyOf } from '../client/parse-address.ts'
import { memoryCounters } from './memory-counters.ts'
import { tooMany } from './too-many.ts'

/** This is more often than a browser reads a page of documentation, whose copy it keeps. */
const A_MINUTE = 60

/**
 * For a page that needs no key and is large: an address may read it 60 times a minute from this process. Apart from the buckets of the API, whose
 * headers it does not carry.
 */
export function limitPage(): onRequestHookHandler {
  const counters = memoryCounters({ maxKeys: 10_000 })
  return (request, _reply, done) => {
    const hit = counters.hit(limitKeyOf(request.clientAddress), A_MINUTE)
    if ('then' in hit || !hit.blocked) return done()
    done(tooMany('', hit.retryAfterSeconds))
  }
}
