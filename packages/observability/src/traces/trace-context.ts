/** A place in a trace that another process, or a caller, has written down. */
export type TraceContext = Readonly<{ traceId: string; spanId: string; isSampled: boolean }>

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/**
 * Reads a `traceparent` (W3C Trace Context, level 2, §3.2). Null for what is not one: a caller that writes it wrong begins a trace of ours. A version after
 * 00 may have more behind its flags. What a `tracestate` says is never read: it may hold anything.
 */
export function parseTraceParent(text: unknown): TraceContext | null {
  if (typeof text !== 'string' || text.length > 512) return null
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === 'ff' || (version === '00' && more !== undefined) || traceId === NO_TRACE || spanId === NO_SPAN) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The context as a `traceparent` of version 00. */
export function traceParentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
